// Files of measured values: what is read from them, and the sentence that each mistake gets.

#include "liegrad/optimize/fit/measurement_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::testing {
namespace {

using optimize::ColumnMap;
using optimize::FileFormat;
using optimize::Recording;

class MeasurementFile : public ::testing::Test {
 protected:
  ~MeasurementFile() override { std::remove(file_.c_str()); }

  Recording read(const std::string& text, const std::vector<ColumnMap>& maps = {},
                 FileFormat format = FileFormat::kCsv) {
    std::ofstream(file_) << text;
    return optimize::read_recording(file_, format, maps, body_);
  }
  /// The sentence about a file, without its name.
  std::string refusal(const std::string& text, const std::vector<ColumnMap>& maps = {},
                      FileFormat format = FileFormat::kCsv) {
    try {
      read(text, maps, format);
    } catch (const InvalidArgument& error) {
      const std::string sentence = error.what();
      return sentence.starts_with(file_) ? sentence.substr(file_.size()) : sentence;
    }
    return "none";
  }

  dae::System body_ = models::make_model("free_body");
  std::string file_ = ::testing::TempDir() + "liegrad_measurement_file_test.csv";
};

TEST_F(MeasurementFile, HasColumnsNamedAfterOutputsOrMapped) {
  const Recording named = read("t,body.x.1,body.x.3\n0,1,2\n0.1,,3\n0.25,4,5\n");
  ASSERT_EQ(named.series.size(), 2U);
  EXPECT_EQ(named.series[0].name(), "body.x.1");
  EXPECT_EQ(named.series[0].times, (std::vector<double>{0, 0.25}));
  EXPECT_EQ(named.series[0].values, (std::vector<double>{1, 4}));
  EXPECT_EQ(named.series[1].values, (std::vector<double>{2, 3, 5}));

  const Recording mapped =
      read("# a comment\nt, x, y, z, qw, qx, qy, qz\r\n0,1,2,3,1,0,0,0\r\n1,1,2,3,0,0,0,-1\r\n",
           {{"marker.p", {"x", "y", "z"}}, {"body.q", {"qw", "qx", "qy", "qz"}}});
  ASSERT_EQ(mapped.series.size(), 4U);
  EXPECT_EQ(mapped.series[1].name(), "marker.p.2");
  EXPECT_EQ(mapped.series[3].comparison, optimize::Comparison::kRotation);
  EXPECT_EQ(mapped.series[3].values.back(), -1);
  EXPECT_EQ(read("t,b\n0,1\n1,2\n", {{"body.x[2]", {"b"}}}).series[0].name(), "body.x.2");
  // The mark with which spreadsheets begin a file in UTF-8.
  EXPECT_EQ(read("\xef\xbb\xbft,body.x.1\n0,1\n1,2\n").series[0].name(), "body.x.1");
}

TEST_F(MeasurementFile, HasTrajectoriesInOtherFormats) {
  const Recording tum =
      read("# timestamp tx ty tz qx qy qz qw\n0 1 2 3 0 0 0 1\n0.5 1 2 4 0 0 1 0\n", {},
           FileFormat::kTum);
  ASSERT_EQ(tum.series.size(), 4U);
  EXPECT_EQ(tum.series[3].values, (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 1}));
  const Recording euroc = read(
      "#timestamp, p_RS_R_x [m]\n1403636580838555648,1,2,3,1,0,0,0,9,9,9\n"
      "1403636580843555648,1,2,4,0,1,0,0,9,9,9\n",
      {}, FileFormat::kEuroc);
  EXPECT_NEAR(euroc.series[0].times[1], 0.005, 1e-6);
  EXPECT_EQ(euroc.series[3].values[5], 1);
  EXPECT_EQ(optimize::file_format_of("euroc"), FileFormat::kEuroc);
  EXPECT_THROW(optimize::file_format_of("kitti"), InvalidArgument);
}

/// Quaternions of the wrong order have length 1 too, and nanoseconds are numbers: a file of another format is seen by its
/// separators and by its times.
TEST_F(MeasurementFile, IsOfTheFormatThatIsNamed) {
  const std::string tum =
      "; a TUM trajectory has lines of t x y z qx qy qz qw, and a table with names of columns is "
      "csv";
  const std::string euroc =
      "; an EuRoC trajectory has lines of t,x,y,z,qw,qx,qy,qz with t in whole nanoseconds, and a "
      "table with names of columns is csv";
  const std::string named = "t,x,y,z,qw,qx,qy,qz\n0,1,2,3,1,0,0,0\n1,1,2,3,1,0,0,0\n";
  const std::string blanks = "0 1 2 3 0 0 0 1\n0.5 1 2 4 0 0 1 0\n";
  const std::string nanoseconds = "0,1,2,3,1,0,0,0\n5000000,1,2,4,0,1,0,0\n";
  const auto as_tum = [&](const std::string& text) { return refusal(text, {}, FileFormat::kTum); };
  const auto as_euroc = [&](const std::string& text) {
    return refusal(text, {}, FileFormat::kEuroc);
  };
  EXPECT_EQ(as_tum(named), ", line 1: numbers are separated by commas" + tum);
  EXPECT_EQ(as_tum(nanoseconds), ", line 1: numbers are separated by commas" + tum);
  EXPECT_EQ(as_tum(blanks + "1 2 3\n"), ", line 3: there are 3 numbers" + tum);
  EXPECT_EQ(as_tum("0 1 2 3 0 0 0 1 9\n"), ", line 1: there are 9 numbers" + tum);
  EXPECT_EQ(as_tum("# nothing\n"), " has no rows");
  EXPECT_EQ(as_euroc(named), ", line 1: column t is 't', where a number is needed" + euroc);
  EXPECT_EQ(as_euroc(blanks), ", line 1: numbers are separated by blanks" + euroc);
  EXPECT_EQ(as_euroc("0,1,2,3,1,0,0,0\n0.5,1,2,4,0,1,0,0\n"), ", line 2: t is 0.5" + euroc);
  EXPECT_EQ(as_euroc(nanoseconds), "none");
}

TEST_F(MeasurementFile, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(refusal(""), " cannot be read: it is empty");
  EXPECT_EQ(refusal("t,body.x.1\n"), " has a header and no rows");
  EXPECT_EQ(refusal("t,body.x.1\n0,1\n0.2,2\n0.1,3\n"),
            ", line 4: t = 0.1 comes after t = 0.2; times must increase");
  EXPECT_EQ(refusal("t,body.x.1\n0,1\n0.2,2\n0.2,3\n"),
            ", line 4: t = 0.2 stands there for the second time; times must increase");
  EXPECT_EQ(refusal("t,body.x.1\n0,1\n1,nan\n"),
            ", line 3: column body.x.1 is nan, which is no measurement; leave the cell empty if "
            "there is none");
  EXPECT_EQ(refusal("t,body.x.1\n0,1\n1,abc\n"),
            ", line 3: column body.x.1 is 'abc', where a number is needed");
  EXPECT_EQ(refusal("t,body.x.1\n0,1\n1\n"), ", line 3: there are 1 cells for 2 columns");
  EXPECT_EQ(refusal("t,body.x.1\n0,1\n"),
            " has samples at one time only, t = 0; a fit needs a motion");
  EXPECT_EQ(refusal("t,body.x.1,body.x.1\n0,1,2\n"), " has two columns 'body.x.1'");
  EXPECT_EQ(refusal("time,body.x.1\n0,1\n"),
            ": there is no column 't'; choose 'time' or 'body.x.1'");
  const std::string unknown = refusal("t,body.y.1\n0,1\n1,2\n");
  EXPECT_NE(unknown.find("has a column 'body.y.1', which is no output of 'free_body'"),
            std::string::npos)
      << unknown;
  EXPECT_EQ(refusal("t,px\n0,1\n1,2\n", {{"body.x[1]", {"pxx"}}}),
            ": there is no column 'pxx'; did you mean 'px'?");
  EXPECT_NE(refusal("t,a\n0,1\n1,2\n", {{"body.xx", {"a"}}}).find("there is no output 'body.xx'"),
            std::string::npos);
  EXPECT_EQ(refusal("t,a\n0,1\n1,2\n", {{"body.x", {"a"}}}),
            "'body.x' has 3 numbers, and 1 columns are mapped to it");
  EXPECT_EQ(refusal("t,a,b\n0,1,1\n1,2,2\n", {{"body.x[1]", {"a"}}, {"body.x[1]", {"b"}}}),
            "two maps are for 'body.x.1'; keep one of them");
  const std::vector<ColumnMap> orientation = {{"body.q", {"w", "x", "y", "z"}}};
  EXPECT_EQ(refusal("t,w,x,y,z\n0,1,0,0,0\n1,0.9,0,0,0\n", orientation),
            ", line 3: 'body.q' is no unit quaternion: it has the length 0.9; the order of its "
            "columns is w, x, y, z");
  EXPECT_EQ(refusal("t,w,x,y,z\n0,1,0,0,0\n1,1,,0,0\n", orientation),
            ", line 3: a part of 'body.q' is empty; give all four numbers or none");
}

TEST_F(MeasurementFile, IsCutIntoWindowsAndPieces) {
  std::string text = "t,body.x.1\n";
  for (int i = 0; i <= 20; ++i) text += std::to_string(i * 0.1) + "," + std::to_string(i) + "\n";
  const Recording all = read(text);
  EXPECT_EQ(optimize::window_of(all, 0.35, 1.0).num_samples(), 7);
  EXPECT_THROW(optimize::window_of(all, 5.0, {}), InvalidArgument);
  const auto pieces = optimize::pieces_of(all, 0.5);
  ASSERT_EQ(pieces.size(), 4U);
  // A sample between two pieces is in the second of them, and the last one in the last.
  EXPECT_EQ(pieces[1].num_samples(), 5);
  EXPECT_NEAR(pieces[1].first_time(), 0.5, 1e-9);
  EXPECT_EQ(pieces[3].num_samples(), 6);
  EXPECT_THROW(optimize::pieces_of(all, 0), InvalidArgument);
  try {
    optimize::pieces_of(all, 0.05);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(std::string(error.what())
                    .ends_with("cannot be cut into pieces of 0.05: none of them has two samples; "
                               "choose longer pieces"))
        << error.what();
  }
}

/// What is wrong with a problem as a whole.
std::string refusal_of(const optimize::FitProblem& problem) {
  try {
    optimize::fit(problem, {});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST_F(MeasurementFile, IsFittedByProblemsThatMakeSense) {
  const Recording data = read("t,body.x.1\n0,0\n0.1,0.1\n0.2,0.2\n0.3,0.3\n");
  optimize::FitProblem good{body_, {data}};
  good.free = {"body.x1", "body.u1"};
  const auto with = [&good](const auto& change) {
    optimize::FitProblem problem = good;
    change(problem);
    return refusal_of(problem);
  };
  EXPECT_EQ(with([](auto& p) { p.free = {}; }),
            "a fit needs unknowns; name parameters that are free");
  EXPECT_EQ(with([](auto& p) { p.trials = {}; }), "a fit needs data; there is no trial");
  EXPECT_NE(with([](auto& p) { p.free = {"body.mm"}; }).find("did you mean 'body.m'"),
            std::string::npos);
  EXPECT_EQ(with([](auto& p) {
              p.free = {"body.x1", "body.x1"};
            }),
            "'body.x1' is named twice as an unknown; name it once");
  EXPECT_EQ(
      with([](auto& p) {
        p.free = {"body.x1", "body.u1", "gravity1", "body.m"};
      }),
      "the fit has 4 unknowns and only 4 measured numbers; fix some unknowns or measure more");
  EXPECT_EQ(with([](auto& p) { p.lower["body.u1"] = 2; }),
            "'body.u1' starts at 1, outside of its bounds 2 and inf; choose a start between them");
  EXPECT_EQ(with([](auto& p) {
              p.lower["body.u1"] = 2;
              p.upper["body.u1"] = 1;
            }),
            "the bounds of 'body.u1' are 2 and 1; the lower one must be below the upper one");
  EXPECT_EQ(with([](auto& p) { p.start["body.u9"] = 2; }).substr(0, 46),
            "a first value is given for what is no unknown:");
  EXPECT_EQ(with([](auto& p) {
              p.prior["body.u1"] = {1, 0};
            }),
            "the prior of 'body.u1' has the standard deviation 0; it must be positive");
  EXPECT_EQ(with([](auto& p) { p.noise["body.q"] = 1; }).substr(0, 52),
            "a noise level is given for what is not measured: the");
  EXPECT_EQ(with([](auto& p) { p.noise["body.x"] = -1; }),
            "the noise of 'body.x' is -1; it must be positive");
  EXPECT_EQ(with([](auto& p) {
              p.ties = {{"body.u1", "body.u2", 1}};
            }),
            "'body.u1' is both an unknown and tied to another parameter; choose one");
}

}  // namespace
}  // namespace liegrad::testing
