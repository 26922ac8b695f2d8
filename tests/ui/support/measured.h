// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include "base/file.h"
#include "base/json.h"

namespace kvcliff::ui::test {

/// Runs kvcliff-cli and returns its standard output; `exit_code` receives how it ended.
inline QByteArray cli(const QStringList& arguments, int* exit_code = nullptr) {
  QProcess p;
  p.start(QStringLiteral(KVCLIFF_CLI), arguments);
  EXPECT_TRUE(p.waitForFinished(240'000)) << p.errorString().toStdString();
  if (exit_code) *exit_code = p.exitCode();
  return p.readAllStandardOutput();
}

inline Json cli_json(const QStringList& arguments) {
  const QByteArray out = cli(arguments + QStringList{QStringLiteral("--json")});
  const Json j = Json::parse(out.toStdString(), nullptr, false);
  EXPECT_FALSE(j.is_discarded()) << out.left(400).toStdString();
  return j;
}

/// A small experiment, measured on the emulator at fifty times its speed: four sessions of 3 documents x 3 rounds and a
/// control, 39 measured requests. `emulator_arguments` make it lie.
inline void measure(const QString& journal, const std::vector<std::string>& emulator_arguments = {}) {
  Json p = *parse_json(*read_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json"), "reference.json");
  p["warmup"] = {{"min_requests", 1}, {"max_requests", 1}};  // so that request N is the same one in every run
  p["name"] = emulator_arguments.empty() ? "small run" : "small run that lies";
  p["capacity"]["gpu_blocks"] = 129;  // two documents of 62 blocks
  p["capacity"]["host_bytes"] = 400LL * 16 * 114'688;
  p["workload"]["documents"] = 3;
  p["workload"]["tokens"] = 1003;
  p["arms"][2]["overrides"]["workload.documents"] = 1;
  p["limits"]["idle_s"] = 3;
  p["limits"]["settle"] = {{"quiet_ms", 10}, {"timeout_ms", 1500}};
  p["engine"]["extra_args"] = emulator_arguments;
  const QString plan = journal + QStringLiteral(".plan.json");
  ASSERT_TRUE(write_file(plan.toStdString(), p.dump(1)));
  (void)cli({QStringLiteral("run"), plan, QStringLiteral("--journal"), journal, QStringLiteral("--time-scale"), QStringLiteral("0.02"), QStringLiteral("--quiet")});
}

/// A sweep of 1 to 5 documents with and without the tier: two fit the GPU, three the tier; 10 sessions, 60 requests.
inline void measure_sweep(const QString& journal) {
  Json p = *parse_json(*read_file(KVCLIFF_SOURCE_DIR "/resources/plans/sweep.json"), "sweep.json");
  p["warmup"] = {{"min_requests", 1}, {"max_requests", 1}};
  p["name"] = "small sweep";
  p["capacity"]["gpu_blocks"] = 129;  // two documents of 62 blocks
  p["capacity"]["host_bytes"] = 200LL * 16 * 114'688;  // three documents
  p["workload"]["tokens"] = 1003;
  p["workload"]["rounds"] = 2;
  p["limits"]["settle"] = {{"quiet_ms", 10}, {"timeout_ms", 1500}};
  Json arms = Json::array(), controls = Json::array();
  for (const auto& arm : p["arms"])
    if (arm["overrides"]["workload.documents"].get<int>() <= 5) {
      arms.push_back(arm);
      controls.push_back(arm["name"]);
    }
  p["arms"] = arms;
  p["schedule"]["controls"] = controls;
  const QString plan = journal + QStringLiteral(".plan.json");
  ASSERT_TRUE(write_file(plan.toStdString(), p.dump(1)));
  (void)cli({QStringLiteral("run"), plan, QStringLiteral("--journal"), journal, QStringLiteral("--time-scale"), QStringLiteral("0.02"), QStringLiteral("--quiet")});
}

/// Journals shared by the tests of one program: an honest run, and one whose load counter is a block short from the
/// 9th request of each server on.
struct Measured {
  QTemporaryDir folder;
  QString honest = folder.filePath(QStringLiteral("honest.kvcliff"));
  QString lying = folder.filePath(QStringLiteral("lying.kvcliff"));
  Measured() {
    measure(honest);
    measure(lying, {"--emulate-lie", "bytes-short:8"});
  }
};
inline Measured& journals() {
  static Measured j;
  return j;
}

}  // namespace kvcliff::ui::test
