// Every law of lie/lie_group.hpp, under its label, for every group and every scalar, at every
// hostile element. The groups compute in their scalar; the comparison is made in long double.

#include "lie/group_laws/group_laws.hpp"

#include "support/slow_but_correct.hpp"

namespace liegrad::test {
namespace {

/// All groups on all scalars: the lists of groups, or everything else.
Groups all_groups(bool lists) {
  Groups all;
  for (const Groups* groups : {&groups_on_float(), &groups_on_double(), &groups_on_long_double(),
                               &groups_on_cppad(), &groups_on_nested_cppad(), &groups_on_jet()}) {
    for (const GroupUnderTest* group : *groups) {
      if (group->nodes().empty() != lists) all.push_back(group);
    }
  }
  return all;
}

std::string name_of_instance(const testing::TestParamInfo<const GroupUnderTest*>& instance) {
  return instance.param->name + "_" + instance.param->scalar_name;
}
INSTANTIATE_TEST_SUITE_P(All, GroupLaws, testing::ValuesIn(all_groups(false)), name_of_instance);

// A list of groups is its nodes, to the last bit; so it keeps their laws.
class GroupListLaws : public GroupLaws {};
INSTANTIATE_TEST_SUITE_P(All, GroupListLaws, testing::ValuesIn(all_groups(true)), name_of_instance);

// ---------------------------------------------------------------- the group

TEST_P(GroupLaws, G1_IdentityIsNeutral) {
  const Values e = G.identity();
  for (const Values& g : elements()) {
    EXPECT_TRUE(close(G.compose(g, e), g, rounding(size_of(g))));
    EXPECT_TRUE(close(G.compose(e, g), g, rounding(size_of(g))));
  }
}

TEST_P(GroupLaws, G2_InverseCancels) {
  const Values e = G.matrix(G.identity());
  for (const Values& g : elements()) {
    EXPECT_TRUE(close(G.matrix(G.compose(g, G.inverse(g))), e, rounding(size_of(g))));
    EXPECT_TRUE(close(G.matrix(G.compose(G.inverse(g), g)), e, rounding(size_of(g))));
  }
}

TEST_P(GroupLaws, G3_CompositionIsAssociative) {
  const auto all = elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values &g = all[i], &h = partner(all, i, 0), &k = partner(all, i, 1);
    EXPECT_TRUE(close(G.compose(G.compose(g, h), k), G.compose(g, G.compose(h, k)),
                      rounding(size_of(g) + size_of(h) + size_of(k))));
  }
}

TEST_P(GroupLaws, G4_MatrixIsARepresentation) {
  const auto all = elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values &g = all[i], &h = partner(all, i, 0);
    EXPECT_TRUE(close(G.matrix(G.compose(g, h)), G.matrix(g) * G.matrix(h),
                      rounding(size_of(g) + size_of(h))));
  }
}

// ---------------------------------------------------------------- exp and log

TEST_P(GroupLaws, L1_ExpOfLogIsTheElement) {
  for (const Values& g : elements()) {
    EXPECT_TRUE(close(matrix_of_exp(G.log(g)), G.matrix(g), rounding(size_of(g))));
  }
}

TEST_P(GroupLaws, L1_LogOfARotationIsNoLongerThanPi) {
  for (const Values& g : elements()) {
    EXPECT_LE(largest_angle(G.log(g), G.rotations), std::numbers::pi_v<Value> + rounding(1));
  }
}

// Relative to each rotation part by itself: a rotation of 1e-300 comes back with all its digits,
// whatever translation goes with it.
TEST_P(GroupLaws, L2_LogOfExpIsTheTangent) {
  for (const Values& v : tangents()) {
    if (!inside_injectivity_radius(v, rounding(1))) continue;
    const Values back = G.log(G.exp(v));
    EXPECT_TRUE(close(back, v, rounding(largest_entry(v))));
    for (const RotationPart& part : G.rotations) {
      const Values rotation = v.middleRows(part.at, part.size);
      EXPECT_TRUE(
          close(back.middleRows(part.at, part.size), rotation, rounding(largest_entry(rotation))));
    }
  }
}

TEST_P(GroupLaws, L3_ExpIsTheMatrixExponential) {
  for (const Values& v : tangents()) {
    const Values m = slow::expm(G.hat(v));
    EXPECT_TRUE(close(matrix_of_exp(v), m, rounding(size_of(m), v)));
  }
}

TEST_P(GroupLaws, L4_ExpOfParallelTangentsAdds) {
  for (const Values& v : tangents()) {
    const Values g = G.compose(G.exp(0.25L * v), G.exp(0.5L * v));
    EXPECT_TRUE(close(G.matrix(g), matrix_of_exp(0.75L * v), rounding(size_of(v), v)));
  }
}

// ---------------------------------------------------------------- Ad and ad

TEST_P(GroupLaws, A1_AdMovesAnExponentialThroughAnElement) {
  const auto all = elements();
  const auto vs = tangents();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values &g = all[i], &v = partner(vs, i, 0);
    const Values moved = G.compose(G.compose(g, G.exp(v)), G.inverse(g));
    EXPECT_TRUE(
        close(G.matrix(moved), matrix_of_exp(G.Ad(g) * v), rounding(size_of(g) * size_of(v), v)));
  }
}

TEST_P(GroupLaws, A1_AdIsVeeOfTheConjugatedBasis) {
  for (const Values& g : elements()) {
    const Values m = G.matrix(g), m_inverse = slow::inverse(m), Ad = G.Ad(g);
    for (int j = 0; j < G.dof; ++j) {
      const Values unit = Values::Identity(G.dof, G.dof).col(j);
      EXPECT_TRUE(close(Ad.col(j), G.vee(m * G.hat(unit) * m_inverse), rounding(size_of(g))));
    }
  }
}

TEST_P(GroupLaws, A2_AdIsAHomomorphism) {
  const auto all = elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values &g = all[i], &h = partner(all, i, 0);
    EXPECT_TRUE(close(G.Ad(G.compose(g, h)), G.Ad(g) * G.Ad(h), rounding(size_of(g) + size_of(h))));
  }
}

TEST_P(GroupLaws, A3_SmallAdIsTheCommutator) {
  const auto vs = tangents();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values &v = vs[i], &w = partner(vs, i, 0);
    EXPECT_TRUE(close(G.hat(G.ad(v) * w), slow::commutator(G.hat(v), G.hat(w)),
                      rounding(size_of(v) * size_of(w))));
    EXPECT_TRUE(close(G.vee(G.hat(v)), v, 0));
  }
}

TEST_P(GroupLaws, A4_AdOfExpIsTheExponentialOfSmallAd) {
  for (const Values& v : tangents()) {
    const Values expected = slow::expm(G.ad(v));
    EXPECT_TRUE(close(G.Ad(G.exp(v)), expected, rounding(size_of(expected), v)));
  }
}

// ---------------------------------------------------------------- the tangent operator

TEST_P(GroupLaws, T1_TangentOperatorIsTheDerivativeOfExp) {
  const Values e = G.identity(), zero = Values::Zero(G.dof, 1);
  const auto vs = tangents();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values& v = vs[i];
    const Values w = direction(static_cast<int>(i));
    const Values of_exp = G.derivative_of_plus(e, v, w);
    const Values through_T = G.derivative_of_plus(G.exp(v), zero, G.T(v) * w);
    EXPECT_TRUE(close(of_exp, through_T, derivative_error(size_of(v), v)));
  }
}

// By the relative precision of T's own entries, which are at most 1 + |U|.
TEST_P(GroupLaws, T2_TangentOperatorFixesItsArgument) {
  for (const Values& v : tangents()) {
    EXPECT_TRUE(close(G.T(v) * v, v, rounding(size_of(v) * largest_entry(v))));
  }
}

// Both factors are known relative to their largest entry; T⁻¹ grows like 1/(2π-θ), and its SE(3)
// block like the square of that.
TEST_P(GroupLaws, T3_InverseTangentOperatorInverts) {
  const Values one = Values::Identity(G.dof, G.dof);
  for (const Values& v : tangents()) {
    const Values t = G.T(v), t_inverse = G.T_inverse(v);
    const Value error = rounding(size_of(t) * size_of(t_inverse), v);
    EXPECT_TRUE(close(t * t_inverse, one, error));
    EXPECT_TRUE(close(t_inverse * t, one, error));
  }
}

TEST_P(GroupLaws, T3_InverseTangentOperatorIsTheDerivativeOfLog) {
  // Differences must not step over the cut of the logarithm; AD may come as close as it likes.
  const Value margin = G.derivative_error > 0 ? 0.5L : rounding(1);
  const auto vs = tangents();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    if (!inside_injectivity_radius(vs[i], margin)) continue;
    const Values w = direction(static_cast<int>(i));
    const Values expected = G.T_inverse(vs[i]) * w;
    EXPECT_TRUE(
        close(G.derivative_of_log(vs[i], w), expected, derivative_error(size_of(expected), vs[i])));
  }
}

TEST_P(GroupLaws, T4_TangentOperatorIsItsPowerSeries) {
  for (const Values& v : tangents()) {
    const Values expected = slow::tangent_operator(G.ad(v));
    EXPECT_TRUE(close(G.T(v), expected, rounding(size_of(expected), v)));
    // The series as printed loses e^|v| to cancellation; it stays a witness below a turn.
    if (largest_entry(v) > 4) continue;
    EXPECT_TRUE(
        close(G.T(v), slow::tangent_operator_by_plain_series(G.ad(v)),
              rounding(size_of(expected), v) + 1e3L * std::numeric_limits<Value>::epsilon()));
  }
}

// Two products of v and w with entries of T: the errors grow with |v| twice.
TEST_P(GroupLaws, T5_DerivativeOfTheTangentOperatorIsItsDerivative) {
  const auto vs = tangents();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values& v = vs[i];
    const Values w = direction(static_cast<int>(i)), d = direction(static_cast<int>(i) + 1);
    EXPECT_TRUE(close(G.T_derivative(v, w, d), G.derivative_of_T(v, w, d),
                      derivative_error(size_of(v), v)));
  }
}

TEST_P(GroupLaws, T6_AdTurnsTheLeftTangentOperatorIntoTheRight) {
  for (const Values& v : tangents()) {
    const Values t = G.T(v);
    EXPECT_TRUE(close(G.Ad(G.exp(-v)) * G.T(-v), t, rounding(size_of(t), v)));
  }
}

// ---------------------------------------------------------------- Lemma 2.5 and Corollary 2.7

/// log(exp(sv)exp(sw)) - (sv + sw + ½ s² ad(v)w).
Values remainder_of_product(const GroupUnderTest& G, const Values& v, const Values& w, Value s) {
  return G.log(G.compose(G.exp(s * v), G.exp(s * w))) -
         (s * v + s * w + 0.5L * s * s * G.ad(v) * w);
}

TEST_P(GroupLaws, B1_ProductOfExponentialsToThirdOrder) {
  const Values v = direction(0), w = direction(1);
  // The next term of the Baker-Campbell-Hausdorff series, and a bound for the one after it.
  const Values third = (G.ad(v) * (G.ad(v) * w) - G.ad(w) * (G.ad(v) * w)) / 12;
  const Value fourth =
      largest_entry(G.ad(w) * (G.ad(v) * (G.ad(v) * w))) / 24 + largest_entry(third);
  for (const Value s : {1 / 8.0L, 1 / 16.0L}) {
    const Values remainder = remainder_of_product(G, v, w, s);
    EXPECT_TRUE(close(remainder, s * s * s * third, s * s * s * s * 2 * fourth + rounding(s)));
  }
}

TEST_P(GroupLaws, C1_ChainRuleThroughExp) {
  const auto vs = tangents();
  const auto all = elements();
  const Values zero = Values::Zero(G.dof, 1);
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values &q = partner(all, i, 0), &v = vs[i];
    const Values w = direction(static_cast<int>(i)), moved = G.plus(q, v);
    // H(q∘exp(v)), column by column.
    Values H(2, G.dof);
    for (int j = 0; j < G.dof; ++j) {
      H.col(j) = G.derivative_of_h(moved, zero, Values::Identity(G.dof, G.dof).col(j));
    }
    // h is cubic in the coefficients: its derivative is bounded by their square.
    const Value size = Value(G.dof) * size_of(moved) * size_of(moved) * size_of(v);
    EXPECT_TRUE(close(G.derivative_of_h(q, v, w), H * (G.T(v) * w), derivative_error(size, v)));
  }
}

// ---------------------------------------------------------------- derived operations

TEST_P(GroupLaws, PlusIsComposeWithExpAndMinusUndoesIt) {
  const auto vs = tangents();
  const auto all = elements();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values &q = partner(all, i, 0), &v = vs[i];
    const Values moved = G.plus(q, v);
    const Value size = size_of(q) + size_of(v);
    EXPECT_TRUE(close(moved, G.compose(q, G.exp(v)), rounding(size)));
    EXPECT_TRUE(close(G.matrix(G.plus(q, G.minus(moved, q))), G.matrix(moved), rounding(size, v)));
    if (!inside_injectivity_radius(v, rounding(size, v))) continue;
    EXPECT_TRUE(close(G.minus(moved, q), v, rounding(size, v)));
  }
}

TEST_P(GroupLaws, InterpolationIsTheSamePathFromEitherEnd) {
  const auto all = elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values& a = all[i];
    const Values w = 2 * direction(static_cast<int>(i)), b = G.plus(a, w);
    EXPECT_TRUE(close(G.matrix(G.interpolate(a, b, 0)), G.matrix(a), rounding(size_of(a))));
    EXPECT_TRUE(close(G.matrix(G.interpolate(a, b, 1)), G.matrix(b), rounding(size_of(a))));
    const Values from_a = G.matrix(G.interpolate(a, b, 0.25L)),
                 from_b = G.matrix(G.interpolate(b, a, 0.75L));
    EXPECT_TRUE(close(from_a, from_b, rounding(size_of(a))));
    EXPECT_TRUE(close(from_a, G.matrix(G.plus(a, 0.25L * w)), rounding(size_of(a))));
  }
}

TEST_P(GroupLaws, DistanceIsLeftInvariantAndSymmetric) {
  const auto all = elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values &a = all[i], &b = partner(all, i, 0), &g = partner(all, i, 1);
    const Value error = rounding(Value(G.dof) * (size_of(a) + size_of(b) + size_of(g)));
    const Value distance = G.distance(a, b);
    EXPECT_TRUE(close(distance, G.minus(b, a).norm(), error));
    EXPECT_TRUE(close(distance, G.distance(b, a), error));
    EXPECT_TRUE(close(distance, G.distance(G.compose(g, a), G.compose(g, b)), error));
    EXPECT_TRUE(close(G.distance(a, a), 0, error));
  }
}

TEST_P(GroupLaws, TransformationOfPointsIsAnAction) {
  if (!G.has_action) GTEST_SKIP() << "no action on points";
  const auto all = elements();
  Values p(G.point_size, 1), u(G.point_size, 1);
  for (int i = 0; i < G.point_size; ++i) p(i) = 0.75L - i, u(i) = 0.5L * i - 1;
  EXPECT_TRUE(close(G.transform_point(G.identity(), p), p, 0));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Values &g = all[i], &h = partner(all, i, 0);
    const Value error = rounding(size_of(g) + size_of(h));
    EXPECT_TRUE(close(G.transform_point(G.compose(g, h), p),
                      G.transform_point(g, G.transform_point(h, p)), error));
    EXPECT_TRUE(close(G.transform_point(g, p + u) - G.transform_point(g, p),
                      G.transform_vector(g, u), error));
    // And it is what the matrix does, on p or on (p, 1).
    const Values m = G.matrix(g);
    Values lifted = Values::Ones(m.rows(), 1);
    lifted.topRows(G.point_size) = p;
    EXPECT_TRUE(close(G.transform_point(g, p), (m * lifted).topRows(G.point_size), error));
  }
}

// ---------------------------------------------------------------- lists of groups

/// One operation: its result on the list, the same on a node, and what of the former is the node's.
struct OnListAndNode {
  enum Kind { kElement, kTangent, kBlock } kind;
  Values on_list;
  std::function<Values(const GroupUnderTest&, int coeff, int dof)> on_node;
};

TEST_P(GroupListLaws, DoesWhatItsNodesDo) {
  const auto vs = tangents();
  const auto all = elements();
  for (std::size_t i = 0; i < vs.size(); ++i) {
    const Values &v = vs[i], &w = partner(vs, i, 0), &d = partner(vs, i, 1), &g = all[i],
                 &h = partner(all, i, 0);
    // Arguments of a node whose coefficients begin at c and whose tangent at t.
    using Node = const GroupUnderTest&;
    const auto elem = [](const Values& x, Node node, int c) -> Values {
      return x.middleRows(c, node.num_coeffs);
    };
    const auto tang = [](const Values& x, Node node, int t) -> Values {
      return x.middleRows(t, node.dof);
    };
    using enum OnListAndNode::Kind;
    const std::vector<OnListAndNode> operations = {
        {kElement, G.identity(), [&](Node n, int, int) { return n.identity(); }},
        {kElement, G.compose(g, h),
         [&](Node n, int c, int) { return n.compose(elem(g, n, c), elem(h, n, c)); }},
        {kElement, G.inverse(g), [&](Node n, int c, int) { return n.inverse(elem(g, n, c)); }},
        {kElement, G.exp(v), [&](Node n, int, int t) { return n.exp(tang(v, n, t)); }},
        {kTangent, G.log(g), [&](Node n, int c, int) { return n.log(elem(g, n, c)); }},
        {kElement, G.plus(g, v),
         [&](Node n, int c, int t) { return n.plus(elem(g, n, c), tang(v, n, t)); }},
        {kTangent, G.minus(g, h),
         [&](Node n, int c, int) { return n.minus(elem(g, n, c), elem(h, n, c)); }},
        {kElement, G.interpolate(g, h, 0.25L),
         [&](Node n, int c, int) { return n.interpolate(elem(g, n, c), elem(h, n, c), 0.25L); }},
        {kBlock, G.Ad(g), [&](Node n, int c, int) { return n.Ad(elem(g, n, c)); }},
        {kBlock, G.ad(v), [&](Node n, int, int t) { return n.ad(tang(v, n, t)); }},
        {kBlock, G.T(v), [&](Node n, int, int t) { return n.T(tang(v, n, t)); }},
        {kBlock, G.T_inverse(v), [&](Node n, int, int t) { return n.T_inverse(tang(v, n, t)); }},
        {kTangent, G.T_derivative(v, w, d),
         [&](Node n, int, int t) {
           return n.T_derivative(tang(v, n, t), tang(w, n, t), tang(d, n, t));
         }},
    };
    for (std::size_t k = 0; k < operations.size(); ++k) {
      const auto& [kind, on_list, on_node] = operations[k];
      int c = 0, t = 0;
      for (const GroupUnderTest* node : G.nodes()) {
        const Values expected = on_node(*node, c, t);
        const Values actual = kind == kElement ? elem(on_list, *node, c)
                              : kind == kTangent
                                  ? tang(on_list, *node, t)
                                  : Values(on_list.block(t, t, node->dof, node->dof));
        // The same operations in the same order: equal to the last bit.
        EXPECT_TRUE(close(actual, expected, 0)) << "operation " << k << " of " << node->name;
        c += node->num_coeffs, t += node->dof;
      }
    }
  }
}

TEST_P(GroupListLaws, DifferentiatesAsItsNodesDo) {
  const auto vs = tangents();
  const auto all = elements();
  for (std::size_t i = 0; i < vs.size(); i += 3) {
    const Values &v = vs[i], &h = partner(all, i, 0);
    const Values w = direction(1), d = direction(2);
    const Values of_plus = G.derivative_of_plus(h, v, w), of_T = G.derivative_of_T(v, w, d);
    int c = 0, t = 0;
    for (const GroupUnderTest* node : G.nodes()) {
      const auto tangent = [&](const Values& x) -> Values { return x.middleRows(t, node->dof); };
      const Values element = h.middleRows(c, node->num_coeffs);
      const Value error = derivative_error(size_of(v), v);
      EXPECT_TRUE(close(of_plus.middleRows(c, node->num_coeffs),
                        node->derivative_of_plus(element, tangent(v), tangent(w)), error));
      EXPECT_TRUE(
          close(tangent(of_T), node->derivative_of_T(tangent(v), tangent(w), tangent(d)), error));
      c += node->num_coeffs, t += node->dof;
    }
  }
}

// ---------------------------------------------------------------- negative controls

const GroupUnderTest& group_on_double(const std::string& name) {
  for (const GroupUnderTest* group : groups_on_double()) {
    if (group->name == name) return *group;
  }
  throw std::runtime_error("no group " + name);
}

Values column(std::initializer_list<Value> entries) {
  Values x(static_cast<Eigen::Index>(entries.size()), 1);
  Eigen::Index i = 0;
  for (const Value entry : entries) x(i++) = entry;
  return x;
}

TEST(GroupLawsCanFail, T1_LeftJacobianIsNotTheTangentOperator) {
  const GroupUnderTest& G = group_on_double("SO3");
  const Values v = column({0.4L, -0.3L, 0.9L}), w = column({-0.2L, 0.7L, 0.1L}),
               zero = Values::Zero(3, 1);
  const Values of_exp = G.derivative_of_plus(G.identity(), v, w);
  EXPECT_TRUE(close(of_exp, G.derivative_of_plus(G.exp(v), zero, G.T(v) * w), 1e-9L));
  EXPECT_FALSE(close(of_exp, G.derivative_of_plus(G.exp(v), zero, G.T(-v) * w), 0.1L));
}

TEST(GroupLawsCanFail, B1_WithoutTheCommutatorTheProductIsOfSecondOrderOnly) {
  const GroupUnderTest& G = group_on_double("SE3");
  const Values v = column({0.4L, -0.3L, 0.9L, 1, 0, 0.5L}),
               w = column({-0.2L, 0.7L, 0.1L, 0, -1, 0.3L});
  const auto order = [](const auto& remainder) {
    return std::log2(largest_entry(remainder(1 / 16.0L)) / largest_entry(remainder(1 / 32.0L)));
  };
  const auto right = [&](Value s) { return remainder_of_product(G, v, w, s); };
  const auto wrong = [&](Value s) -> Values { return right(s) + 0.5L * s * s * G.ad(v) * w; };
  EXPECT_TRUE(close(order(right), 3, 0.1L));
  EXPECT_TRUE(close(order(wrong), 2, 0.1L));
}

TEST(GroupLawsCanFail, PoseTransformationIsNotAnActionOfTheDirectProduct) {
  const GroupUnderTest &pose = group_on_double("SO3xR3"), &motion = group_on_double("SE3");
  const Values g = pose.exp(column({0.4L, -0.3L, 0.9L, 1, 0, 0.5L})),
               h = pose.exp(column({-0.2L, 0.7L, 0.1L, 0, -1, 0.3L}));
  const Values p = column({1, 2, 3});
  ASSERT_TRUE(pose.has_transform_point && !pose.has_action);
  EXPECT_FALSE(close(pose.transform_point(pose.compose(g, h), p),
                     pose.transform_point(g, pose.transform_point(h, p)), 0.1L));
  // The same coefficients as elements of SE(3) do act.
  EXPECT_TRUE(close(motion.transform_point(motion.compose(g, h), p),
                    motion.transform_point(g, motion.transform_point(h, p)), 1e-14L));
}

TEST(GroupLawsCanFail, CloseSeesNaN) {
  const Values nan = column({std::numeric_limits<Value>::quiet_NaN()});
  EXPECT_FALSE(close(nan, nan, 1));
}

}  // namespace
}  // namespace liegrad::test
