// Pinocchio without Python: each algorithm in a loop over given states, to be timed from outside.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <memory>
#include <string>
#include <vector>

namespace {

using pinocchio::SE3;
using Eigen::VectorXd;
using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Peer {
  pinocchio::Model model;
  std::unique_ptr<pinocchio::Data> data;
  pinocchio::Data::Matrix6x jacobian;
  pinocchio::FrameIndex tip = 0;
  std::vector<VectorXd> q, v, a, tau;
};

SE3 placement_of(const double* numbers) {  // rotation by rows, then translation
  return SE3(Eigen::Map<const RowMajor3>(numbers), Eigen::Map<const Eigen::Vector3d>(numbers + 9));
}

std::vector<VectorXd> rows(const double* numbers, int count, int width) {
  std::vector<VectorXd> result;
  for (int k = 0; k < count; ++k)
    result.emplace_back(Eigen::Map<const VectorXd>(numbers + long(k) * width, width));
  return result;
}

template <class Body>
void sweep(const Peer& peer, Body body) {
  for (std::size_t k = 0; k < peer.q.size(); ++k) body(k);
}

}  // namespace

// Everything else stays hidden, so that nothing is shared with the Pinocchio that Python has loaded.
#pragma GCC visibility push(default)
extern "C" {

void* peer_new() { return new Peer; }

void peer_delete(void* handle) { delete static_cast<Peer*>(handle); }

// The index of the new joint; -1 if its kind is unknown.
int peer_add_joint(void* handle, int parent, const char* kind_name, const double* axis_numbers,
                   const double* placement, double mass, const double* center, const double* inertia) {
  using namespace pinocchio;
  Model& model = static_cast<Peer*>(handle)->model;
  const std::string kind = kind_name, name = "joint" + std::to_string(model.njoints);
  const Eigen::Vector3d axis = Eigen::Map<const Eigen::Vector3d>(axis_numbers);
  const SE3 pose = placement_of(placement);
  JointIndex index;
  if (kind == "FreeFlyer") index = model.addJoint(parent, JointModelFreeFlyer(), pose, name);
  else if (kind == "RX") index = model.addJoint(parent, JointModelRX(), pose, name);
  else if (kind == "RY") index = model.addJoint(parent, JointModelRY(), pose, name);
  else if (kind == "RZ") index = model.addJoint(parent, JointModelRZ(), pose, name);
  else if (kind == "RUBX") index = model.addJoint(parent, JointModelRUBX(), pose, name);
  else if (kind == "RUBY") index = model.addJoint(parent, JointModelRUBY(), pose, name);
  else if (kind == "RUBZ") index = model.addJoint(parent, JointModelRUBZ(), pose, name);
  else if (kind == "PX") index = model.addJoint(parent, JointModelPX(), pose, name);
  else if (kind == "PY") index = model.addJoint(parent, JointModelPY(), pose, name);
  else if (kind == "PZ") index = model.addJoint(parent, JointModelPZ(), pose, name);
  else if (kind == "RevoluteUnaligned") index = model.addJoint(parent, JointModelRevoluteUnaligned(axis), pose, name);
  else if (kind == "PrismaticUnaligned") index = model.addJoint(parent, JointModelPrismaticUnaligned(axis), pose, name);
  else return -1;
  const Inertia body(mass, Eigen::Map<const Eigen::Vector3d>(center), Symmetric3(Eigen::Matrix3d(Eigen::Map<const RowMajor3>(inertia))));
  model.appendBodyToJoint(index, body, SE3::Identity());
  return int(index);
}

int peer_add_frame(void* handle, int joint, const double* placement, int is_tip) {
  using namespace pinocchio;
  Peer& peer = *static_cast<Peer*>(handle);
  const std::string name = "frame" + std::to_string(peer.model.nframes);
  const auto index = peer.model.addFrame(Frame(name, JointIndex(joint), FrameIndex(0), placement_of(placement), OP_FRAME));
  if (is_tip) peer.tip = FrameIndex(index);
  return int(index);
}

void peer_finish(void* handle, const double* armature, int count, const double* q, const double* v,
                 const double* a, const double* tau) {
  Peer& peer = *static_cast<Peer*>(handle);
  pinocchio::Model& model = peer.model;
  model.armature = Eigen::Map<const VectorXd>(armature, model.nv);
  peer.data = std::make_unique<pinocchio::Data>(model);
  peer.jacobian = pinocchio::Data::Matrix6x::Zero(6, model.nv);
  peer.q = rows(q, count, model.nq);
  peer.v = rows(v, count, model.nv);
  peer.a = rows(a, count, model.nv);
  peer.tau = rows(tau, count, model.nv);
}

// Runs over all states; gives the norm of the last result (upper triangle where only that is filled), or -1.
double peer_run(void* handle, const char* algorithm_name) {
  using namespace pinocchio;
  Peer& peer = *static_cast<Peer*>(handle);
  const Model& m = peer.model;
  Data& d = *peer.data;
  const auto &q = peer.q, &v = peer.v, &a = peer.a, &tau = peer.tau;
  const std::string algorithm = algorithm_name;
  if (algorithm == "forwardKinematics") {
    sweep(peer, [&](std::size_t k) { forwardKinematics(m, d, q[k]); });
    return d.oMi.back().translation().norm();
  }
  if (algorithm == "framesForwardKinematics") {
    sweep(peer, [&](std::size_t k) { framesForwardKinematics(m, d, q[k]); });
    return d.oMf.back().translation().norm();
  }
  if (algorithm == "computeJointJacobians") {
    sweep(peer, [&](std::size_t k) { computeJointJacobians(m, d, q[k]); });
    return d.J.norm();
  }
  if (algorithm == "computeFrameJacobian") {
    sweep(peer, [&](std::size_t k) { computeFrameJacobian(m, d, q[k], peer.tip, LOCAL_WORLD_ALIGNED, peer.jacobian); });
    return peer.jacobian.norm();
  }
  if (algorithm == "rnea") {
    sweep(peer, [&](std::size_t k) { rnea(m, d, q[k], v[k], a[k]); });
    return d.tau.norm();
  }
  if (algorithm == "crba") {
    sweep(peer, [&](std::size_t k) { crba(m, d, q[k]); });
    return d.M.triangularView<Eigen::Upper>().toDenseMatrix().norm();
  }
  if (algorithm == "aba") {
    sweep(peer, [&](std::size_t k) { aba(m, d, q[k], v[k], tau[k]); });
    return d.ddq.norm();
  }
  if (algorithm == "jacobianCenterOfMass") {
    sweep(peer, [&](std::size_t k) { jacobianCenterOfMass(m, d, q[k]); });
    return d.Jcom.norm();
  }
  if (algorithm == "ccrba") {
    sweep(peer, [&](std::size_t k) { ccrba(m, d, q[k], v[k]); });
    return d.Ag.norm();
  }
  if (algorithm == "computeRNEADerivatives") {
    sweep(peer, [&](std::size_t k) { computeRNEADerivatives(m, d, q[k], v[k], a[k]); });
    return d.dtau_dq.norm();
  }
  if (algorithm == "computeABADerivatives") {
    sweep(peer, [&](std::size_t k) { computeABADerivatives(m, d, q[k], v[k], tau[k]); });
    return d.ddq_dq.norm();
  }
  return -1.0;
}
}  // extern "C"
#pragma GCC visibility pop
