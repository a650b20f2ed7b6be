#include "output/gradient_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "output/svg_text.hpp"

namespace liegrad::app {
namespace {

constexpr double kWidth = 420, kNumbers = 130, kRow = 22, kTitle = 30, kAxis = 52;
constexpr std::size_t kMostPanels = 8, kMostBars = 24, kMostTicks = 8;
constexpr const char *kGrows = "#0072b2", *kFalls = "#d55e00";

/// Powers of ten that hold the magnitudes.
struct Decades {
  int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();

  void include(double magnitude) {
    if (!(magnitude > 0) || !std::isfinite(magnitude)) return;
    low = std::min(low, static_cast<int>(std::floor(std::log10(magnitude))));
    high = std::max(high, static_cast<int>(std::ceil(std::log10(magnitude))));
  }
  bool is_empty() const { return low > high; }
  double place(double magnitude) const {
    return (std::log10(magnitude) - low) / std::max(1, high - low);
  }
};

class Figure {
 public:
  explicit Figure(const sensitivity::Derivatives& derivatives) : d_(derivatives) {
    // Room for the longest name.
    for (const std::string& name : d_.variable_names) {
      left_ = std::max(left_, 24 + 7.4 * static_cast<double>(name.size()));
    }
  }

  std::string svg(const std::string& title) {
    const double all = left_ + kWidth + kNumbers;
    words(all / 2, 24, "middle", "#000", title, " font-size='16'");
    words(left_, 48, "start", kGrows, "■ grows with the variable");
    words(left_ + kWidth / 2, 48, "start", kFalls, "■ falls with it");
    const std::size_t values = d_.value_names.size();
    for (std::size_t i = 0; i < std::min(values, kMostPanels); ++i) {
      add_panel(static_cast<Eigen::Index>(i));
    }
    if (values > kMostPanels) {
      words(left_, top_ + 14, "start", "#000",
            fmt::format("… and {} values more", values - kMostPanels));
      top_ += kRow;
    }
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
        "font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' "
        "fill='white'/>\n{2}</svg>\n",
        all, top_, body_);
  }

 private:
  void add_panel(Eigen::Index value) {
    const auto row = d_.jacobian.row(value);
    std::vector<Eigen::Index> order(static_cast<std::size_t>(row.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    // What is not a number, where differences failed, comes last.
    const auto size = [&](Eigen::Index j) { return std::isnan(row(j)) ? -1 : std::abs(row(j)); };
    std::stable_sort(order.begin(), order.end(),
                     [&](Eigen::Index a, Eigen::Index b) { return size(a) > size(b); });
    const std::size_t left_out = order.size() > kMostBars ? order.size() - kMostBars : 0;
    order.resize(order.size() - left_out);
    Decades decades;
    for (const Eigen::Index j : order) decades.include(std::abs(row(j)));

    words(left_, top_ + 16, "start", "#000",
          fmt::format("derivatives of {} = {:.6g}", d_.value_names[static_cast<std::size_t>(value)],
                      d_.values(value)),
          " font-weight='bold'");
    top_ += kTitle;
    const double bottom = top_ + kRow * static_cast<double>(order.size());
    if (!decades.is_empty()) draw_axis(decades, bottom);
    for (const Eigen::Index j : order) {
      draw_bar(d_.variable_names[static_cast<std::size_t>(j)], row(j), decades);
      top_ += kRow;
    }
    if (left_out > 0) {
      words(left_ + kWidth + kNumbers - 8, bottom + 38, "end", "#000",
            fmt::format("and {} smaller ones", left_out));
    }
    top_ += kAxis;
  }

  void draw_axis(const Decades& decades, double bottom) {
    const int every = 1 + (decades.high - decades.low) / static_cast<int>(kMostTicks);
    for (int power = decades.low; power <= decades.high; power += every) {
      const double x = left_ + kWidth * decades.place(std::pow(10.0, power));
      body_ += fmt::format("<path d='M{0:.1f} {1:.1f}V{2:.1f}' stroke='#ddd'/>\n", x, top_, bottom);
      words(x, bottom + 18, "middle", "#000", fmt::format("{:g}", std::pow(10.0, power)));
    }
    words(left_ + kWidth / 2, bottom + 38, "middle", "#000",
          "magnitude, in the unit of the value over that of the variable");
  }

  void draw_bar(const std::string& name, double derivative, const Decades& decades) {
    const double middle = top_ + kRow / 2;
    words(left_ - 8, middle + 5, "end", "#000", name);
    // The shortest bars can be seen, too.
    constexpr double kShortest = 2;
    double end = left_;
    if (derivative != 0 && std::isfinite(derivative)) {
      const double width = std::max(kShortest, kWidth * decades.place(std::abs(derivative)));
      body_ += fmt::format("<rect x='{}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>\n",
                           left_, top_ + 3, width, kRow - 6, derivative > 0 ? kGrows : kFalls);
      end += width;
    }
    words(end + 6, middle + 5, "start", "#000",
          std::isnan(derivative) ? "not found" : fmt::format("{:.4g}", derivative));
  }

  void words(double x, double y, const char* anchor, const char* color, const std::string& text,
             const char* attributes = "") {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}' fill='{}'{}>{}</text>\n", x,
                         y, anchor, color, attributes, svg_text(text));
  }

  const sensitivity::Derivatives& d_;
  double left_ = 120, top_ = 66;
  std::string body_;
};

}  // namespace

std::string gradient_plot(const sensitivity::Derivatives& derivatives, const std::string& title) {
  return Figure(derivatives).svg(title);
}

}  // namespace liegrad::app
