// Every element of the library can be asked for by a file.

#include "liegrad/models/system_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "liegrad/models/file/element_catalogue.hpp"

namespace liegrad::models {
namespace {

using Json = nlohmann::ordered_json;

/// A node that fits the slot of an element.
Json node_for(const dae::NodeSlot& slot) {
  switch (slot.role) {
    case dae::NodeRole::kRigidBody:
    case dae::NodeRole::kFrame:
    case dae::NodeRole::kPoint: return {{"group", "body"}};
    case dae::NodeRole::kRotation: return {{"group", "so3"}};
    case dae::NodeRole::kPlanarBody:
    case dae::NodeRole::kPlanarFrame:
    case dae::NodeRole::kPlanarPoint: return {{"group", "se2"}};
    case dae::NodeRole::kCoordinates: return {{"group", "r" + std::to_string(slot.n)}};
  }
  return {};
}

/// A file with one element of that type on nodes of its own, and a joint whose reaction it can read.
Json file_with(const ListedElement& element) {
  Json file = {{"nodes", Json::object()}, {"elements", Json::object()}};
  Json on = Json::array();
  for (std::size_t i = 0; i < element.shape.nodes.size(); ++i) {
    const std::string name = "node" + std::to_string(i);
    file["nodes"][name] = node_for(element.shape.nodes[i]);
    on.push_back(name);
  }
  Json entry = {{"type", element.type()}, {"on", on}};
  if (element.shape.multipliers_read > 0) {
    file["nodes"]["pin"] = {{"group", "body"}};
    file["elements"]["joint"] = {{"type", "PointOnLine"}, {"on", {"ground", "pin"}}};
    entry["reads"] = {"joint"};
  }
  file["elements"]["one"] = entry;
  return file;
}

class SystemFiles : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  SystemFile read(const Json& file) const {
    std::ofstream(path_) << file.dump(1);
    return read_system_file(path_);
  }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() /
                       ("system_file_test." + std::to_string(getpid()) + ".json"))
                          .string();
};

TEST_F(SystemFiles, KnowEveryElementOfTheLibrary) {
  for (const ListedElement& element : listed_elements()) {
    SCOPED_TRACE(element.name);
    const dae::System system = read(file_with(element)).system;
    const int i = system.find_element("one");
    ASSERT_GE(i, 0);
    const dae::ElementShape& shape =
        system.shape_of(system.elements()[static_cast<std::size_t>(i)]);
    EXPECT_EQ(shape.type, element.shape.type);
    EXPECT_EQ(shape.constraints, element.shape.constraints);
  }
}

TEST_F(SystemFiles, KnowEveryLaw) {
  const auto with_law = [](const Json& law) {
    return Json{
        {"nodes", {{"s", {{"group", "r1"}}}}},
        {"elements", {{"drive", {{"type", "DrivenCoordinate"}, {"on", "s"}, {"law", law}}}}}};
  };
  for (const char* const law : {"ConstantLaw", "PolynomialLaw", "HarmonicLaw", "SmoothStartLaw"}) {
    EXPECT_NO_THROW(read(with_law(law))) << law;
  }
  const Json table = {{"type", "TableLaw"}, {"times", {0, 1, 2}}, {"values", {0, 1, 0}}};
  EXPECT_EQ(read(with_law(table)).system.parameter("drive.y1"), 1);
  Json corners = table;
  corners["type"] = "LinearTableLaw";
  EXPECT_THROW(read(with_law(corners)), InvalidArgument);

  // A polynomial has as many coefficients as its values name.
  Json cubic = with_law("PolynomialLaw");
  cubic["elements"]["drive"]["values"] = {{"c3", 2}};
  EXPECT_EQ(read(cubic).system.parameter("drive.c3"), 2);
  EXPECT_EQ(read(cubic).system.parameter("drive.c1"), 0);
}

TEST_F(SystemFiles, ShareGravityAndParameters) {
  const SystemFile file = read(
      {{"gravity", {0, 0, -1.6}},
       {"parameters", {{"k", 7}}},
       {"nodes", {{"a", {{"group", "r3"}}}, {"b", {{"group", "r3"}}}}},
       {"elements",
        {{"a", {{"type", "PointMass"}, {"on", "a"}}},
         {"b", {{"type", "PointMass"}, {"on", "b"}, {"values", {{"gravity3", 0}}}}},
         {"spring", {{"type", "PointSpring"}, {"on", {"a", "b"}}, {"values", {{"k", "k"}}}}}}}});
  EXPECT_EQ(file.system.parameter("gravity3"), -1.6);
  EXPECT_EQ(file.system.parameter("b.gravity3"), 0);
  EXPECT_THROW(file.system.parameter("a.gravity3"), InvalidArgument);
  EXPECT_THROW(file.system.parameter("spring.k"), InvalidArgument);
  EXPECT_EQ(file.system.parameter("k"), 7);
  EXPECT_FALSE(file.has_bodies);
}

}  // namespace
}  // namespace liegrad::models
