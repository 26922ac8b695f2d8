// SPDX-License-Identifier: GPL-3.0-or-later
// The Predict page, driven by mouse and keys: the cliff follows every handle in the same frame, and zoom is a stack.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDialog>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTableWidget>
#include <QWheelEvent>

#include "base/file.h"
#include "ui/charts/cliff_chart.h"
#include "ui/pages/predict_page.h"
#include "ui/support/window.h"
#include "ui/widgets/number_field.h"

namespace kvcliff::ui::test {
namespace {

struct PredictTest : ::testing::Test {
  Window w;
  PredictPage* page = static_cast<PredictPage*>(w.window.page(PredictIndex));
  CliffChart& chart = page->chart();

  void SetUp() override {
    w.window.show_page(PredictIndex);
    ASSERT_TRUE(wait([&] { return !page->prediction().state().points.empty() && page->prediction().state().exact; }));
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
  }
  const plan::Plan& plan() { return w.window.document().plan(); }
  QCPAxis* axis(int rect = 0) { return chart.axisRect(rect)->axis(QCPAxis::atBottom); }
  QPoint at_blocks(double blocks) { return QPoint(qRound(axis()->coordToPixel(blocks)), chart.axisRect(0)->rect().center().y()); }
  void drag(const QPoint& from, const QPoint& to) {
    QTest::mouseMove(&chart, from);
    QTest::mousePress(&chart, Qt::LeftButton, Qt::NoModifier, from);
    // Real drags have the button down while they move.
    for (const QPoint& p : {(from + to) / 2, to}) {
      QMouseEvent move(QEvent::MouseMove, QPointF(p), QPointF(chart.mapToGlobal(p)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
      QCoreApplication::sendEvent(&chart, &move);
    }
    QTest::mouseRelease(&chart, Qt::LeftButton, Qt::NoModifier, to);
  }
  void turn(double blocks, int steps) {
    const QPoint p = at_blocks(blocks);
    QWheelEvent e(QPointF(p), QPointF(chart.mapToGlobal(p)), QPoint(), QPoint(0, 120 * steps), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&chart, &e);
  }
};

TEST_F(PredictTest, EveryHandleMovesTheFieldsInTheSameFrame) {
  auto* documents = w.find<NumberField>("predict.documents");
  EXPECT_EQ(chart.marker(), 750);
  drag(at_blocks(750), at_blocks(1010));
  EXPECT_EQ(plan().workload.documents, 8) << "whole documents";
  EXPECT_EQ(documents->text(), QStringLiteral("8"));
  EXPECT_EQ(chart.marker(), 1000);
  EXPECT_GT(w.find<QSlider>("predict.slider")->value(), 200);
  const double host = w.find<NumberField>("predict.host.blocks")->value();
  drag(at_blocks(384), at_blocks(600));
  EXPECT_NEAR(double(plan().capacity.gpu_blocks - 1), 600, 8);
  EXPECT_EQ(w.find<NumberField>("predict.gpu.blocks")->value(), double(plan().capacity.gpu_blocks - 1));
  EXPECT_NEAR(w.find<NumberField>("predict.gpu.tokens")->value(), w.find<NumberField>("predict.gpu.blocks")->value() * 16, 1e-9);
  drag(at_blocks(host), at_blocks(host - 200));
  EXPECT_NEAR(w.find<NumberField>("predict.host.blocks")->value(), host - 200, 10);
  // Three drags are three steps back.
  auto& undo = w.window.document().undo();
  EXPECT_EQ(undo.count(), 3);
  undo.undo();
  undo.undo();
  undo.undo();
  EXPECT_EQ(plan().workload.documents, 6);
  EXPECT_EQ(chart.marker(), 750);
}

TEST_F(PredictTest, KeysMoveTheMarkerByDocumentsAndBlocks) {
  chart.setFocus();
  QTest::keyClick(&chart, Qt::Key_Right);
  EXPECT_EQ(plan().workload.documents, 7);
  QTest::keyClick(&chart, Qt::Key_Left);
  QTest::keyClick(&chart, Qt::Key_Left);
  EXPECT_EQ(plan().workload.documents, 5);
  QTest::keyClick(&chart, Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(chart.marker(), 626) << "one block: shown, but no plan's value";
  EXPECT_EQ(plan().workload.documents, 5);
  QTest::keyClick(&chart, Qt::Key_Home);
  EXPECT_EQ(chart.marker(), 625);
}

TEST_F(PredictTest, ZoomIsAStackOnLinkedAxes) {
  const QCPRange all = chart.view();
  turn(750, 1);
  turn(750, 1);
  EXPECT_TRUE(chart.zoomed());
  EXPECT_LT(chart.view().size(), all.size() * 0.75);
  EXPECT_EQ(axis(0)->range(), axis(1)->range()) << "areas and histogram move together";
  EXPECT_NEAR(axis()->coordToPixel(750), axis(1)->coordToPixel(750), 1);
  const QCPRange near = chart.view();
  drag(at_blocks(near.lower + near.size() * 0.6), at_blocks(near.lower + near.size() * 0.8));
  EXPECT_NEAR(chart.view().size(), near.size() * 0.2, near.size() * 0.02) << "a rubber band";
  EXPECT_EQ(plan().workload.documents, 6) << "it is no handle";
  chart.setFocus();
  QTest::keyClick(&chart, Qt::Key_Escape);
  EXPECT_NEAR(chart.view().size(), near.size(), 1e-6);
  QTest::keyClick(&chart, Qt::Key_Escape);
  EXPECT_EQ(chart.view(), all) << "turns that follow each other are one step";
  EXPECT_FALSE(chart.zoomed());
  QTest::keyClick(&chart, Qt::Key_Plus);
  QTest::keyClick(&chart, Qt::Key_Plus);
  EXPECT_LT(chart.view().size(), all.size());
  // A value that changes under a zoomed view does not move it.
  const QCPRange held = chart.view();
  QTest::keyClick(&chart, Qt::Key_Right);
  ASSERT_TRUE(wait([&] { return page->prediction().state().exact; }));
  EXPECT_EQ(chart.view(), held);
  QTest::keyClick(&chart, Qt::Key_Home);
  EXPECT_FALSE(chart.zoomed());
  turn(750, -3);
  EXPECT_FALSE(chart.zoomed()) << "there is nothing beyond the whole axis";
  turn(5, 400);
  EXPECT_GE(chart.view().size(), 3.9);
  EXPECT_GE(chart.view().lower, 0);
  ASSERT_TRUE(w.window.open_path(resources() + QStringLiteral("/plans/reference.json")));
  EXPECT_FALSE(chart.zoomed()) << "another plan is seen whole";
}

TEST_F(PredictTest, TheCrosshairReadsValuesAndTheDifferenceToAPin) {
  auto* reading = w.find<QLabel>("predict.reading");
  QTest::mouseMove(&chart, at_blocks(300));
  QMouseEvent move(QEvent::MouseMove, QPointF(at_blocks(300)), QPointF(chart.mapToGlobal(at_blocks(300))), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&chart, &move);
  EXPECT_TRUE(reading->text().contains(QStringLiteral("GPU hit"))) << reading->text().toStdString();
  EXPECT_FALSE(reading->text().contains(QStringLiteral("from the pin")));
  QTest::mouseClick(&chart, Qt::LeftButton, Qt::ShiftModifier, at_blocks(300));
  QMouseEvent further(QEvent::MouseMove, QPointF(at_blocks(1000)), QPointF(chart.mapToGlobal(at_blocks(1000))), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&chart, &further);
  EXPECT_TRUE(reading->text().contains(QStringLiteral("from the pin +"))) << reading->text().toStdString();
  EXPECT_TRUE(reading->text().contains(QStringLiteral("\u2212"))) << "fewer GPU hits there: " << reading->text().toStdString();
  chart.setFocus();
  QTest::keyClick(&chart, Qt::Key_Escape);
  QCoreApplication::sendEvent(&chart, &move);
  EXPECT_FALSE(reading->text().contains(QStringLiteral("from the pin")));
}

TEST_F(PredictTest, NumbersLeadToTheirDerivationAndScenariosAreKept) {
  w.find<QPushButton>("predict.why")->click();
  auto* derivation = w.window.findChild<QDialog*>(QStringLiteral("predict.derivation"));
  ASSERT_NE(derivation, nullptr);
  auto* table = derivation->findChild<QTableWidget*>();
  EXPECT_GT(table->rowCount(), 3);
  derivation->findChild<QPushButton*>(QStringLiteral("predict.derivation.csv"))->click();
  const QString csv = QApplication::clipboard()->text();
  EXPECT_EQ(csv.count(QLatin1Char('\n')), table->rowCount() + 1) << csv.toStdString();
  EXPECT_TRUE(csv.startsWith(QStringLiteral("factor,value,")));
  derivation->findChild<QPushButton*>(QStringLiteral("predict.derivation.copy"))->click();
  EXPECT_TRUE(QApplication::clipboard()->text().startsWith(QStringLiteral("factor\tvalue\t")));
  ASSERT_TRUE(page->export_table_to(w.file("factors.csv"), csv));
  EXPECT_EQ(*read_file(w.file("factors.csv").toStdString()), csv.toStdString());
  EXPECT_FALSE(page->export_table_to(w.file("absent/factors.csv"), csv));
  EXPECT_TRUE(page->strips().sentence(QStringLiteral("export")).contains(QStringLiteral("absent")));
  derivation->close();
  w.find<QPushButton>("predict.explain")->click();
  ASSERT_NE(w.window.findChild<QDialog*>(QStringLiteral("predict.explanation")), nullptr);
  const plan::Plan before = plan();
  w.find<QPushButton>("predict.keep")->click();
  type(w.find<NumberField>("predict.documents"), QStringLiteral("12"));
  w.find<QPushButton>("predict.keep")->click();
  const auto kept = page->findChildren<QPushButton*>(QStringLiteral("predict.kept"));
  ASSERT_EQ(kept.size(), 2);
  EXPECT_NE(kept[0]->text(), kept[1]->text());
  kept[0]->click();
  EXPECT_EQ(plan(), before);
}

TEST_F(PredictTest, TheCatalogueIsSearchedByPartsOfAName) {
  auto* model = w.find<QComboBox>("predict.model");
  EXPECT_GT(model->count(), 20);
  type(model->lineEdit(), QStringLiteral("1.7"));
  EXPECT_TRUE(w.find<QLabel>("predict.model.fault")->text().isEmpty()) << "it may become a name";
  model->lineEdit()->clear();
  type(model->lineEdit(), QStringLiteral("qwen3-1.7b"));
  QTest::keyClick(model->lineEdit(), Qt::Key_Return);
  EXPECT_EQ(plan().model.id, "Qwen/Qwen3-1.7B");
}

TEST_F(PredictTest, ThePathOfAModelIsShownByItsName) {
  const QString folder = w.file("a-rather-long-path-to-models/tiny-model");
  ASSERT_TRUE(QDir().mkpath(folder));
  ASSERT_TRUE(QFile::copy(QStringLiteral(KVCLIFF_TEST_DATA "/cases/074-latent-attention/config.json"), folder + QStringLiteral("/config.json")));
  ASSERT_TRUE(w.window.open_path(folder));
  auto* model = w.find<QComboBox>("predict.model");
  EXPECT_EQ(model->currentText(), QStringLiteral("tiny-model"));
  EXPECT_TRUE(model->toolTip().startsWith(folder)) << model->toolTip().toStdString();
  EXPECT_TRUE(page->subtitle().contains(QStringLiteral("tiny-model"))) << page->subtitle().toStdString();
  EXPECT_FALSE(page->subtitle().contains(QStringLiteral("long-path")));
  EXPECT_EQ(plan().model.config, (folder + QStringLiteral("/config.json")).toStdString());
}

TEST_F(PredictTest, TheChartIsExportedInEveryFormatAndAFullDiskIsSaid) {
  QString error;
  for (const char* name : {"cliff.png", "cliff.svg", "cliff.pdf"}) {
    ASSERT_TRUE(chart.export_to(w.file(name), QSize(900, 500), 2, &error)) << name << ": " << error.toStdString();
    EXPECT_GT(QFileInfo(w.file(name)).size(), 1000) << name;
  }
  EXPECT_EQ(QImage(w.file("cliff.png")).size(), QSize(1800, 1000));
  for (const char* ending : {"png", "svg", "pdf"}) {
    error.clear();
    EXPECT_FALSE(chart.export_to(w.file("absent/cliff.") + QLatin1String(ending), QSize(900, 500), 1, &error));
    EXPECT_TRUE(error.contains(QStringLiteral("absent"))) << ending << ": " << error.toStdString();
  }
  const QString csv = page->copy_text(true);
  EXPECT_EQ(csv.count(QLatin1Char('\n')), int(page->prediction().state().points.size()) + 1);
}

// 200 requests of a public trace: the numbers are those of `kvcliff-cli curve` at these capacities.
TEST_F(PredictTest, ATraceIsDrawnOverTheGpuCache) {
  ASSERT_TRUE(w.window.open_path(QStringLiteral(KVCLIFF_TEST_DATA "/traces/mooncake_synthetic_trace.jsonl.zst")));
  EXPECT_EQ(plan().workload.kind, workload::Spec::Kind::trace);
  EXPECT_FALSE(w.find<NumberField>("predict.documents")->isVisibleTo(page)) << "a trace has no documents";
  type(w.find<NumberField>("predict.traceRequests"), QStringLiteral("200"));
  type(w.find<NumberField>("predict.gpu.blocks"), QStringLiteral("20000"));
  type(w.find<NumberField>("predict.host.blocks"), QStringLiteral("60000"));
  ASSERT_TRUE(wait([&] { return page->prediction().state().stream != nullptr; })) << page->prediction().state().sizes_why.toStdString();
  const auto& s = page->prediction().state();
  EXPECT_EQ(s.stream->curve.requests(), 200);
  const cache::CurvePoint at = s.stream->curve.at(20'000, 60'000);
  EXPECT_GT(at.gpu_hit, 0);
  EXPECT_TRUE(chart.shape().over_capacity);
  EXPECT_EQ(chart.marker(), 20'000);
  EXPECT_NEAR(chart.shape().at(20'000).gpu, double(at.gpu_hit) / double(s.stream->curve.prompt_tokens()), 1e-9);
  EXPECT_NEAR(chart.shape().at(20'000).host, double(at.host_loaded) / double(s.stream->curve.prompt_tokens()), 1e-9);
  EXPECT_TRUE(w.find<QLabel>("predict.sentence.detail")->text().contains(QStringLiteral("prompt tokens"))) << w.find<QLabel>("predict.sentence.detail")->text().toStdString();
  EXPECT_TRUE(w.find<QLabel>("predict.trace.note")->text().startsWith(QStringLiteral("200 requests")));
  // The marker is the GPU cache now.
  drag(at_blocks(20'000), at_blocks(30'000));
  EXPECT_NEAR(double(plan().capacity.gpu_blocks), 30'001, 150);
  w.picture("predict-trace-light");
  w.find<QPushButton>("predict.trace.back")->click();
  EXPECT_EQ(plan().workload.kind, workload::Spec::Kind::documents);
  EXPECT_TRUE(w.find<NumberField>("predict.documents")->isVisibleTo(page));
  EXPECT_TRUE(w.window.document().faults().empty());
}

TEST_F(PredictTest, ATraceThatCannotBeReadIsSaid) {
  ASSERT_TRUE(write_file(w.file("bad.jsonl").toStdString(), "{\"timestamp\": 0, \"input_length\": 10, \"hash_ids\": [1]}\nnot json\n"));
  ASSERT_TRUE(w.window.open_path(w.file("bad.jsonl")));
  auto* detail = w.find<QLabel>("predict.sentence.detail");
  ASSERT_TRUE(wait([&] { return detail->text().contains(QStringLiteral("bad.jsonl")); })) << detail->text().toStdString();
  EXPECT_TRUE(w.find<QLabel>("predict.sentence")->text().contains(QStringLiteral("cannot be predicted")));
}

TEST_F(PredictTest, SessionsWhosePromptsGrowAreNotDrawnAsDocuments) {
  plan::Plan p = plan();
  p.workload.kind = workload::Spec::Kind::sessions;
  p.workload.turn_tokens = 160;
  p.workload.tokens = 500;
  w.window.document().edit_plan(p, QStringLiteral("sessions"));
  ASSERT_TRUE(wait([&] { return page->prediction().state().stream != nullptr; })) << page->prediction().state().sizes_why.toStdString();
  EXPECT_EQ(page->prediction().state().stream->curve.requests(), 18);
  EXPECT_EQ(page->prediction().state().stream->curve.prompt_tokens(), 6 * (500 + 660 + 820));
  EXPECT_TRUE(w.find<QLabel>("predict.trace")->text().contains(QStringLiteral("6 sessions of 3 turns")));
}

TEST_F(PredictTest, AServerLogGivesItsCapacitiesAndSaysWhatItDoesNot) {
  ASSERT_TRUE(w.window.open_path(QStringLiteral(KVCLIFF_TEST_DATA "/vllm-gpu/captures/P1A.log.zst")));
  auto& strips = page->strips();
  ASSERT_TRUE(wait([&] { return !strips.sentence(QStringLiteral("log")).isEmpty(); }));
  EXPECT_EQ(w.window.current_page(), int(PredictIndex));
  EXPECT_TRUE(strips.sentence(QStringLiteral("log")).contains(QStringLiteral("vLLM 0.26.0"))) << strips.sentence(QStringLiteral("log")).toStdString();
  EXPECT_EQ(plan().engine.version, "0.26.0");
  EXPECT_EQ(w.find<QComboBox>("predict.rule")->currentIndex(), 1) << "the rule of that version";
  EXPECT_EQ(w.window.document().undo().undoText(), QStringLiteral("server log P1A.log.zst"));
  w.window.document().undo().undo();
  EXPECT_TRUE(plan().engine.version.empty());
  // A log of a start that failed says why.
  ASSERT_TRUE(w.window.open_path(QStringLiteral(KVCLIFF_TEST_DATA "/vllm-cpu/logs/fail-memory-utilization.log.zst")));
  ASSERT_TRUE(wait([&] { return !strips.sentence(QStringLiteral("log.cause")).isEmpty(); }));
  const plan::Plan before = plan();
  ASSERT_TRUE(write_file(w.file("other.log").toStdString(), "INFO something else entirely\n"));
  ASSERT_TRUE(w.window.open_path(w.file("other.log")));
  ASSERT_TRUE(wait([&] { return strips.sentence(QStringLiteral("log")).contains(QStringLiteral("other.log")); }));
  EXPECT_EQ(plan(), before);
  EXPECT_TRUE(strips.sentence(QStringLiteral("log.cause")).isEmpty()) << "that was of another log";
}

TEST_F(PredictTest, AWorkloadThatCannotBeDrawnIsSaidAndTheWindowGoesOn) {
  type(w.find<NumberField>("predict.rounds"), QStringLiteral("10000000"));
  auto* sentence = w.find<QLabel>("predict.sentence");
  ASSERT_TRUE(wait([&] { return sentence->text().contains(QStringLiteral("cannot be predicted")); })) << sentence->text().toStdString();
  EXPECT_FALSE(w.find<QLabel>("predict.sentence.detail")->text().isEmpty());
  type(w.find<NumberField>("predict.rounds"), QStringLiteral("3"));
  ASSERT_TRUE(wait([&] { return page->prediction().state().exact && !page->prediction().state().points.empty(); }));
  EXPECT_TRUE(sentence->text().contains(QStringLiteral("Fits the host tier"))) << sentence->text().toStdString();
}

TEST_F(PredictTest, DocumentsShorterThanABlockAreSaid) {
  type(w.find<NumberField>("predict.tokens"), QStringLiteral("15"));
  auto* sentence = w.find<QLabel>("predict.sentence");
  EXPECT_TRUE(wait([&] { return sentence->text().contains(QStringLiteral("shorter than one block")); })) << sentence->text().toStdString();
}

TEST_F(PredictTest, EveryWidgetHasAName) { EXPECT_EQ(without_name(page).join(QStringLiteral(", ")).toStdString(), ""); }

}  // namespace
}  // namespace kvcliff::ui::test
