// SPDX-License-Identifier: GPL-3.0-or-later
// Failures seen in the field about the window, each with the right answer of tests/data/cases. Times are measured by
// tests/bench/ui; what is counted here does not depend on the machine.
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QTemporaryDir>
#include <cmath>
#include <iostream>
#include <optional>

#include "base/file.h"
#include "journal/reader.h"
#include "journal/writer.h"
#include "support/expect_file.h"
#include "ui/bridge/log_search.h"
#include "ui/charts/request_chart.h"
#include "ui/run_data.h"
#include "ui/support/measured.h"
#include "ui/support/window.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/log_model.h"

namespace kvcliff::ui::test {
namespace {

QString case_folder(const char* name) { return QStringLiteral(KVCLIFF_TEST_DATA "/cases/") + QLatin1String(name); }

// ---- 091: the live plot slows down ----

TEST(FieldCase091, TwoHundredThousandPointsAreDrawnOnATimerAndKeptWhole) {
  Theme theme;
  RequestChart chart(theme);
  chart.resize(900, 460);
  chart.show();
  (void)QTest::qWaitForWindowExposed(&chart, 5000);
  // 4 series: computed and loaded bars, their times; 50,000 requests give 200,000 points.
  auto data = made_run(4, 12'500);
  data->live = true;
  for (RunRequest& r : data->requests) r.state = RequestState::Planned;
  data->done = 0;
  chart.set_data(data);
  chart.replot();
  const int before = chart.replots();
  QElapsedTimer clock;
  clock.start();
  for (std::size_t i = 0; i < data->requests.size(); ++i) {
    data->requests[i].state = RequestState::Done;
    data->touch(i);
    data->newest = std::int64_t(i);
    chart.data_changed();
    if (i % 2500 == 0) QCoreApplication::processEvents();
  }
  ASSERT_TRUE(wait([&] { return chart.replots() > before; }, 5000));
  QTest::qWait(120);
  const double seconds = double(clock.elapsed()) / 1000;
  EXPECT_LE(chart.replots() - before, int(std::ceil(seconds * 20)) + 3) << "replots follow a timer of 20 a second, not the points";
  // The picture is thinned, the data are not: each request can still be read and exported.
  EXPECT_FALSE(chart.detail_words().isEmpty());
  EXPECT_EQ(chart.data()->requests.size() * 4, 200'000u);
  EXPECT_TRUE(chart.reading(49'999).contains(QStringLiteral("2,000 host loaded"))) << chart.reading(49'999).toStdString();
}

TEST(FieldCase091, TimesAreTakenBeforeAnyQueueOfTheWindow) {
  // A window that never comes round must not change what is measured: the stamps are those of the I/O thread.
  Measured& m = journals();
  const auto reader = journal::Reader::open(m.honest.toStdString());
  ASSERT_TRUE(reader);
  int checked = 0;
  const auto sessions = reader->sessions(1);
  ASSERT_TRUE(sessions);
  for (const auto& s : *sessions) {
    const auto requests = reader->requests(s.id, journal::Depth::events);
    ASSERT_TRUE(requests);
    for (const auto& r : *requests) {
      const auto& t = r.stream.times;
      for (std::size_t i = 1; i < r.stream.events.size(); ++i) EXPECT_LE(r.stream.events[i - 1].at, r.stream.events[i].at);
      EXPECT_GE(t.end, t.t0);
      ++checked;
    }
  }
  EXPECT_GT(checked, 30);
}

// ---- 092: an export has its own size, whatever the screen ----

struct Pictures {
  QTemporaryDir folder;
  bool make(const char* name, const char* scale, const QStringList& more = {}) {
    QProcess p;
    QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
    env.insert(QStringLiteral("QT_SCALE_FACTOR"), QLatin1String(scale));
    env.insert(QStringLiteral("KVCLIFF_RESOURCES"), resources());
    p.setProcessEnvironment(env);
    p.start(QStringLiteral(KVCLIFF_GUI), QStringList{QStringLiteral("--export"), QStringLiteral("report"), at(name), journals().honest} + more);
    return p.waitForFinished(240'000) && p.exitStatus() == QProcess::NormalExit && p.exitCode() <= 1;
  }
  QString at(const char* name) const { return folder.filePath(QLatin1String(name)); }
  QImage png(const char* name) const { return QImage(at(name) + QStringLiteral("/charts/pairs.png")); }
};

double differing(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return 1;
  qint64 n = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) n += a.pixel(x, y) != b.pixel(x, y);
  return double(n) / (double(a.width()) * a.height());
}

TEST(FieldCase092, TheScaleOfTheScreenDoesNotReachAnExport) {
  Pictures p;
  ASSERT_TRUE(p.make("one", "1"));
  ASSERT_TRUE(p.make("some", "1.25"));
  ASSERT_TRUE(p.make("two", "2"));
  const QImage one = p.png("one");
  EXPECT_EQ(one.size(), QSize(1600, 900));
  EXPECT_LE(differing(one, p.png("some")), 0.02);
  EXPECT_LE(differing(one, p.png("two")), 0.02);
  // 800 x 450 at twice the resolution: the density is written into the file.
  EXPECT_NEAR(one.dotsPerMeterX(), 2 * 96 / 0.0254, 2);
  QFile svg(p.at("two") + QStringLiteral("/charts/pairs.svg"));
  ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
  const QByteArray drawing = svg.readAll();
  EXPECT_FALSE(drawing.contains("<image"));
  EXPECT_TRUE(drawing.contains("<text"));
  QFile pdf(p.at("two") + QStringLiteral("/report.pdf"));
  ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
  const QByteArray page = pdf.readAll();
  EXPECT_TRUE(page.contains("/Font")) << "text stays text: it can be selected";
  EXPECT_FALSE(page.contains("/Subtype /Image")) << "vectors, not pictures";
}

// ---- 094: dark and light ----

double luminance(const QColor& c) {
  const auto f = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * f(c.redF()) + 0.7152 * f(c.greenF()) + 0.0722 * f(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}
// The pixel of a label's strip that differs most from its ground: the core of its strokes.
double text_contrast(const QImage& all, const QRect& strip, const QColor& ground) {
  double best = 0;
  const QRect r = strip.intersected(all.rect());
  for (int y = r.top(); y <= r.bottom(); ++y)
    for (int x = r.left(); x <= r.right(); ++x) best = std::max(best, contrast(all.pixelColor(x, y), ground));
  return best;
}

TEST(FieldCase094, ChartsFollowTheThemeWhileTheyRunAndExportsAreOnWhite) {
  Theme theme;
  theme.set_mode(ThemeMode::Dark);
  RequestChart chart(theme);
  chart.resize(900, 460);
  auto data = made_run(4, 18);
  data->simulated = false;
  chart.set_data(data);
  chart.show();
  (void)QTest::qWaitForWindowExposed(&chart, 5000);
  const QRect labels(18, 60, 44, 340);  // tick labels left of the axes
  const auto grab = [&] {
    chart.replot();
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    return chart.grab().toImage();
  };
  const QImage dark = grab();
  EXPECT_EQ(dark.pixelColor(2, 2), theme.color("surface"));
  EXPECT_LT(luminance(dark.pixelColor(2, 2)), 0.1);
  EXPECT_GE(text_contrast(dark, labels, theme.color("surface")), 4.5);
  theme.set_mode(ThemeMode::Light);
  const QImage light = grab();
  EXPECT_EQ(light.pixelColor(2, 2), QColor(Qt::white));
  EXPECT_GE(text_contrast(light, labels, Qt::white), 4.5);
  theme.set_mode(ThemeMode::Dark);
  const QImage paper = chart.image(QSize(900, 460), 1);
  EXPECT_EQ(paper.pixelColor(2, 2), QColor(Qt::white));
  EXPECT_GE(text_contrast(paper, QRect(18, 90, 44, 300), Qt::white), 4.5);
  EXPECT_TRUE(theme.dark()) << "the window stays as it was";
}

TEST(FieldCase094, EveryTextAndLineOfThePaletteCanBeReadOnEveryGround) {
  Theme theme;
  for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
    theme.set_mode(mode);
    const char* grounds[] = {"window", "rail", "surface", "raised", "hover", "select"};
    for (const char* ground : grounds)
      for (const char* ink : {"text", "text2", "text3"}) EXPECT_GE(contrast(theme.color(ink), theme.color(ground)), 4.5) << int(mode) << ' ' << ink << " on " << ground;
    for (const char* state : {"pass", "fail", "notpossible", "notsettled", "simulated", "withdrawn"}) {
      EXPECT_GE(contrast(theme.color(state), theme.color("surface")), 4.5) << int(mode) << ' ' << state;
      EXPECT_GE(contrast(theme.color(state), theme.color((QByteArray(state) + "_bg").constData())), 4.5) << int(mode) << ' ' << state << " on its ground";
    }
    for (const Source s : {Source::gpu_hit, Source::host_loaded, Source::computed}) {
      EXPECT_GE(contrast(theme.on(s), theme.fill(s)), 4.5) << int(mode);
      EXPECT_GE(contrast(theme.text(s), theme.color("surface")), 4.5) << int(mode);
      EXPECT_GE(contrast(theme.edge(s), theme.color("surface")), 3.0) << int(mode) << ": lines";
    }
  }
}

// ---- 100: the log of an engine that writes without end ----

TEST(FieldCase100, AWriterWithoutEndIsBoundedReadInPeaceAndSearchedWhole) {
  QFile sample(case_folder("100-log-panel-freezes-window") + QStringLiteral("/sample.log"));
  ASSERT_TRUE(sample.open(QIODevice::ReadOnly));
  std::vector<LogLine> lines;
  for (const QByteArray& l : sample.readAll().split('\n'))
    if (!l.isEmpty()) lines.push_back({{}, false, l.toStdString(), false});
  ASSERT_EQ(lines.size(), 2000u);
  constexpr int repeats = 500;  // 1,000,000 lines

  QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("log.kvcliff")).toStdString();
  std::int64_t session = 0;
  {
    auto w = journal::Writer::open(path);
    ASSERT_TRUE(w);
    journal::ExperimentRecord e;
    e.uid = "0123456789abcdef";
    e.plan_text = "{}";
    const auto row = (*w)->put(e);
    session = (*w)->put(row, SessionRecord{});
    for (int k = 0; k < repeats; ++k) {
      for (const LogLine& l : lines) (*w)->put_log(session, l);
      if (k % 50 == 49) {
        ASSERT_TRUE((*w)->flush());
      }
    }
    ASSERT_TRUE((*w)->flush());
  }

  Theme theme;
  LogDock dock(theme);
  dock.resize(800, 220);
  dock.show();
  (void)QTest::qWaitForWindowExposed(&dock, 5000);
  LogSearch search;
  search.set_source(QString::fromStdString(path), session);
  QObject::connect(&dock, &LogDock::search_asked, &search, &LogSearch::search);
  QObject::connect(&search, &LogSearch::found, &dock, &LogDock::show_found);
  auto* list = dock.findChild<QListView*>(QStringLiteral("log.lines"));
  QScrollBar* bar = list->verticalScrollBar();
  int turns = 0;
  QTimer turn;
  QObject::connect(&turn, &QTimer::timeout, [&] { ++turns; });
  turn.start(1);
  for (int k = 0; k < repeats / 2; ++k) {
    dock.append(lines);
    if (k % 10 == 0) QCoreApplication::processEvents();
  }
  ASSERT_TRUE(wait([&] { return dock.model().total() == repeats / 2 * 2000; }));
  EXPECT_GT(turns, 20) << "the window came round while the lines came";
  EXPECT_LE(dock.model().kept(), 100'000);

  // Scrolled up by half: the position stays while half a million more come.
  bar->setValue(bar->maximum() / 2);
  const int there = bar->value();
  for (int k = 0; k < repeats / 2; ++k) {
    dock.append(lines);
    if (k % 10 == 0) QCoreApplication::processEvents();
  }
  ASSERT_TRUE(wait([&] { return dock.model().total() == repeats * 2000; }));
  EXPECT_EQ(bar->value(), there);
  EXPECT_FALSE(dock.following());
  EXPECT_LE(dock.model().kept(), 100'000);

  // The search works on the file: every one of the 500 is found, though the view holds the last ten.
  type(dock.findChild<QLineEdit*>(QStringLiteral("log.filter")), QStringLiteral("line 001999"));
  ASSERT_TRUE(wait([&] { return dock.shown().rowCount() == repeats; })) << dock.shown().rowCount();
  EXPECT_EQ(dock.findChild<QLabel*>(QStringLiteral("log.count"))->text(), QStringLiteral("500 of all 1,000,000 lines"));
  type(dock.findChild<QLineEdit*>(QStringLiteral("log.filter")), QStringLiteral("no such line"));
  ASSERT_TRUE(wait([&] { return dock.findChild<QLabel*>(QStringLiteral("log.count"))->text() == QStringLiteral("0 of all 1,000,000 lines"); }));
  auto* filter = dock.findChild<QLineEdit*>(QStringLiteral("log.filter"));
  filter->clear();
  ASSERT_TRUE(wait([&] { return &dock.shown() == &dock.model() && dock.shown().rowCount() == dock.model().kept(); }));
}

// Step 4, in the window. The stop takes at most the plan's grace and three seconds for what the engine leaves behind, and
// no wait of another kind: that is what the tests hold, in the journal's words. Seconds on the clock are the machine's, which
// shares its processors with the writer; they are printed.
struct Flood {
  Window w;
  QByteArray before = qgetenv("KVCLIFF_EMULATOR");
  std::optional<SessionRecord> stopped;   ///< the session that was stopped, as the journal has it
  std::vector<RequestRecord> requests;

  ~Flood() { before.isNull() ? qunsetenv("KVCLIFF_EMULATOR") : qputenv("KVCLIFF_EMULATOR", before); }
  /// Runs the reference on an engine made of `script` (%1: sample.log, %2: the emulator) and presses stop in the midst of it.
  void run(const QString& script, double grace_s) {
    const QString engine = w.file("engine");
    const QString sample = case_folder("100-log-panel-freezes-window") + QStringLiteral("/sample.log");
    ASSERT_TRUE(write_file(engine.toStdString(), script.arg(sample, QStringLiteral(KVCLIFF_BINARY_DIR "/bin/kvcliff-emulator")).toStdString()));
    QFile::setPermissions(engine, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("KVCLIFF_EMULATOR", engine.toUtf8());
    plan::Plan p = w.window.document().plan();
    p.workload.rounds = 200;
    p.limits.stop_s = grace_s;
    RunController& run = w.window.run();
    QString end;
    QObject::connect(&run, &RunController::finished, &w.window, [&](const QString& e) { end = e; });
    QString error;
    const QString journal = w.file("flood.kvcliff");
    ASSERT_TRUE(run.start(p, journal, {}, &error)) << error.toStdString();
    auto* log = w.find<LogDock>("logDock");
    ASSERT_TRUE(wait([&] { return (run.data() && run.data()->done >= 1 && log->model().total() > 20'000) || !end.isEmpty(); }, 120'000));
    ASSERT_TRUE(end.isEmpty()) << end.toStdString();
    EXPECT_LE(log->model().kept(), 100'000);
    w.window.show_page(RunIndex);
    QElapsedTimer clock;
    clock.start();
    QTest::mouseClick(w.find<QPushButton>("run.stop"), Qt::LeftButton);
    EXPECT_TRUE(run.stopping()) << "the order is given with the click";
    ASSERT_TRUE(wait([&] { return !end.isEmpty(); }, 60'000)) << "still running";
    std::cout << "stopped within " << double(clock.elapsed()) / 1000 << " s, of which the engine took ";
    EXPECT_EQ(end, QStringLiteral("stopped"));
    const auto reader = journal::Reader::open(journal.toStdString());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->experiments()->front().state, "stopped_by_user");
    const auto sessions = *reader->sessions(1);
    for (const SessionRecord& s : sessions)
      if (s.state == SessionState::stopped_by_user && s.stop.is_object()) stopped = s;
    ASSERT_TRUE(stopped) << "the journal tells how its engine was ended";
    ASSERT_TRUE(stopped->stop.contains("took_ns")) << stopped->stop.dump();
    std::cout << stopped->stop["took_ns"].get<double>() * 1e-9 << " s\n";
    requests = *reader->requests(stopped->id, journal::Depth::details);
  }
  /// From the click on the session only stops: no counter is waited for, no request is finished first.
  void expect_nothing_else_was_waited_for() const {
    std::vector<SessionState> states;
    for (const StateChange& c : stopped->changes) states.push_back(c.state);
    const std::vector<SessionState> last(states.end() - 3, states.end());
    EXPECT_EQ(last, (std::vector{SessionState::measuring, SessionState::stopping, SessionState::stopped_by_user}));
    ASSERT_FALSE(requests.empty());
    EXPECT_LT(int(requests.size()), 6 * 200);
  }
};

TEST(FieldCase100, AStopEndsARunWhoseEngineWritesWithoutEnd) {
  Flood f;
  f.run(QStringLiteral("#!/bin/sh\n( while :; do cat '%1'; done ) &\nexec '%2' \"$@\"\n"), 30);
  ASSERT_TRUE(f.stopped);
  f.expect_nothing_else_was_waited_for();
  // The first SIGTERM was enough, of the grace of 30 s nothing was used up, and the writer is gone with its server.
  EXPECT_TRUE(f.stopped->stop["terminated_in_grace"].get<bool>()) << f.stopped->stop.dump();
  EXPECT_TRUE(f.stopped->stop["notes"].empty()) << f.stopped->stop.dump();
}

TEST(FieldCase100, AnEngineThatDoesNotHearIsKilledWithinTheGraceOfThePlan) {
  Flood f;
  const QString heard = f.w.file("heard");
  // Two seconds of the plan and three for the rest of the group: five in all, whatever the engine does.
  constexpr double grace_s = 2;
  f.run(QStringLiteral("#!/bin/sh\ntrap 'echo yes >>\"") + heard + QStringLiteral("\"' TERM\n'%2' \"$@\" &\nwhile :; do cat '%1'; done\n"), grace_s);
  ASSERT_TRUE(f.stopped);
  f.expect_nothing_else_was_waited_for();
  EXPECT_TRUE(QFile::exists(heard)) << "it was asked first";
  EXPECT_FALSE(f.stopped->stop["terminated_in_grace"].get<bool>()) << f.stopped->stop.dump();
  EXPECT_GE(f.stopped->stop["killed"].get<int>(), 1) << f.stopped->stop.dump();
  EXPECT_GE(f.stopped->stop["took_ns"].get<double>() * 1e-9, grace_s) << "not before its time";
}

}  // namespace
}  // namespace kvcliff::ui::test
