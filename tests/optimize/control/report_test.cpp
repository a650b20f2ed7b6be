// What a search says of itself, line by line.

#include "liegrad/control/report.hpp"

#include <gtest/gtest.h>

#include <string>

namespace liegrad {
namespace {

control::Solution some_solution() {
  control::Solution solution;
  control::Summary& s = solution.summary;
  s.status = control::Status::kSolved;
  s.message = "Optimal Solution Found";
  s.ipopt_version = "3.14";
  s.linear_solver = "blocks";
  s.choices = {"steps of generalized-alpha"};
  s.iterations = 12;
  s.cost = 48.5;
  s.t_end = 1;
  s.constraint_violation = 1e-12;
  s.wall_seconds = 0.25;
  solution.certificate.is_complete = solution.certificate.local_minimum = true;
  solution.certificate.switches = {1, 2};
  solution.certificate.resimulation_failure = "Newton's iteration does not converge at t = 0.5";
  return solution;
}

TEST(ControlReports, HaveTheSearchAndItsCertificate) {
  EXPECT_EQ(control::full_report(some_solution()),
            "  status                 = solved (Optimal Solution Found)\n"
            "  cost                   = 48.5\n"
            "  t_end                  = 1\n"
            "  iterations             = 12\n"
            "  constraint violation   = 1e-12\n"
            "  IPOPT                  = 3.14, linear solver blocks\n"
            "  wall time              = 0.25 s, of it 0 s to set up and 0 s of derivatives\n"
            "  local minimum          = yes\n"
            "  Hamiltonian            = 0, spread 0\n"
            "  switching functions    = controls agree with their signs within 0; these change 1, "
            "2 times\n"
            "  run with finer step    = could not be made: Newton's iteration does not converge at "
            "t = 0.5\n");
  EXPECT_NE(control::full_report(some_solution(), true).find("chosen                 = steps"),
            std::string::npos);
}

TEST(ControlReports, ConvictAnExtremalThatIsNoMinimum) {
  control::Certificate certificate = some_solution().certificate;
  certificate.local_minimum = false;
  certificate.negative = 8;
  certificate.equations = 7;
  EXPECT_NE(control::minimum_report(certificate).find("no: 8 eigenvalues"), std::string::npos);
}

TEST(ControlReports, HaveNoCertificateOfWhatWasNotSolved) {
  control::Solution solution = some_solution();
  solution.summary.status = control::Status::kInfeasible;
  solution.summary.violations = {{.name = "end.x[1]", .step = 9, .time = 1, .size = 0.5}};
  const std::string text = control::full_report(solution);
  EXPECT_NE(text.find("violated               = end.x[1] (t = 1) by 0.5\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("local minimum"), std::string::npos);
  EXPECT_EQ(control::brief_report({}), control::name_of(control::Status::kNotRun));
}

}  // namespace
}  // namespace liegrad
