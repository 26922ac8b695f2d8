// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The History page over a journal of its own.
#include <QFile>

#include "support/written_run.h"
#include "ui/bridge/document.h"
#include "ui/models/history_model.h"
#include "ui/pages/history_page.h"
#include "ui/support/window.h"

namespace kvcliff::ui::test {

inline constexpr WallNs day = 86'400'000'000'000;
inline constexpr WallNs start = 1'790'000'000'000'000'000;

struct HistoryTest : ::testing::Test {
  Window w;
  HistoryPage* page = static_cast<HistoryPage*>(w.window.page(HistoryIndex));
  HistoryModel& model = page->model();
  QString journal = w.file("lab.kvcliff");

  void SetUp() override { w.window.show_page(HistoryIndex); }
  /// One run where the tier helps and one where it makes no difference, of another model.
  void fill() {
    kvcliff::test::HonestRun helps;
    kvcliff::test::write_run(journal.toStdString(), helps.in, "aaaaaaaaaaaaaaaa", start);
    kvcliff::test::HonestRun equal({.ratio = 1.0, .noise = 0.002});
    equal.in.name = "Tier as large as the cache";
    equal.in.plan.model.id = "qwen3-1.7b";  // the same KV bytes a token
    equal.in.simulated = false;
    kvcliff::test::write_run(journal.toStdString(), equal.in, "bbbbbbbbbbbbbbbb", start + day, "vllm");
  }
  void open(const QString& path) {
    ASSERT_TRUE(w.window.open_path(path));
    ASSERT_TRUE(wait([&] { return model.rowCount() > 0 && std::all_of(model.rows().begin(), model.rows().end(), [](const auto& r) { return r.summary.ready || !r.summary.why.isEmpty(); }); }));
  }
  QString shown(int row, int column) { return page->filter().index(row, column).data().toString(); }
  QString bytes(const QString& path) {
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? QString::fromLatin1(f.readAll().toHex()) : QString();
  }
};

}  // namespace kvcliff::ui::test
