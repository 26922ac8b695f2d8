// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/run_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/bridge/document.h"
#include "ui/bridge/model_sizes.h"
#include "ui/charts/request_chart.h"
#include "ui/main_window.h"
#include "ui/pages/run_panels.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/session_strip.h"

namespace kvcliff::ui {

RunPage::RunPage(Services services, QWidget* parent) : Page(services, QStringLiteral("run"), tr("Run"), parent) {
  build_header();
  auto* column = new QVBoxLayout(body());
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  sessions_ = new SessionStrip(theme(), this);
  column->addWidget(sessions_);
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  row->addWidget(build_chart(), 1);
  side_ = new QWidget(this);
  auto* side = new QVBoxLayout(side_);
  side->setContentsMargins(0, 0, 0, 0);
  side->setSpacing(12);
  request_ = new RequestPanel(theme(), side_);
  server_ = new ServerPanel(theme(), side_);
  side->addWidget(request_);
  side->addWidget(server_, 1);
  side_->setFixedWidth(theme().px(278));
  row->addWidget(side_);
  column->addLayout(row, 1);

  connect(sessions_, &SessionStrip::chosen, this, [this](int session) {
    if (!shown_ || std::size_t(session) >= shown_->sessions.size()) return;
    const RunSession& s = shown_->sessions[std::size_t(session)];
    if (s.count > 0) chart_->show_requests(double(s.first), double(s.first + s.count));
    if (!live()) load_log(session);
    if (!live() && last_readings_) server_->show_session(*shown_, session, (*last_readings_)[std::size_t(session)]);
  });
  connect(&run(), &RunController::started, this, &RunPage::start_live);
  connect(&run(), &RunController::updated, this, &RunPage::update_live);
  connect(&run(), &RunController::running_changed, this, [this](bool running) {
    if (running) {
      strips().resolve(QStringLiteral("run"));
      strips().resolve(QStringLiteral("notice"));
      shown_.reset();
      chart_->set_data(nullptr);
      sessions_->set_data(nullptr);
      chosen_ = -1;
      request_->show_nothing(tr("The first server starts."));
      show_body();
      emit log_cleared();
    }
    update_header();
  });
  connect(&run(), &RunController::checks_changed, this, [this] {
    const LiveChecks& c = run().checks();
    chart_->data_changed();
    emit status(tr("%1 of %2 requests reconciled so far").arg(exact(c.reconciled), exact(c.judged)));
  });
  connect(&run(), &RunController::noticed, this, [this](const QString& severity, const QString& text) {
    if (severity == QLatin1String("journal")) {
      if (text.isEmpty()) strips().resolve(QStringLiteral("journal"));
      else strips().show_message({QStringLiteral("journal"), StripMessage::Level::Caution, tr("Journal"), text, {}, {}});
      return;
    }
    if (severity == QLatin1String("info")) return emit status(text);
    const auto level = severity == QLatin1String("error") ? StripMessage::Level::Fail : StripMessage::Level::Caution;
    strips().show_message({QStringLiteral("notice"), level, severity == QLatin1String("error") ? tr("Error") : tr("Caution"), text, {}, {}});
  });
  connect(&run(), &RunController::finished, this, &RunPage::ended);
  connect(&document(), &Document::experiment_changed, this, &RunPage::load);
  connect(&document(), &Document::request_selected, this, [this](int request) {
    chosen_ = request;
    chart_->select(request);
    if (shown_) load_request(request);
  });
  connect(&document(), &Document::plan_changed, this, [this] {
    if (!shown_ && !run().running()) show_nothing();
  });
  show_nothing();
  update_header();
}

RunPage::~RunPage() {
  ++generation_;
  pool_.waitForDone();
}

void RunPage::build_header() {
  simulated_ = new Chip(theme(), QStringLiteral("flask"), tr("Simulated"), "simulated", this);
  simulated_->setObjectName(QStringLiteral("run.simulated"));
  simulated_->setToolTip(tr("Measured on the built-in emulator: no claim about a real engine"));
  simulated_->hide();
  chips()->addWidget(simulated_);
  progress_box_ = new QWidget(this);
  auto* box = new QVBoxLayout(progress_box_);
  box->setContentsMargins(0, 0, 0, 0);
  box->setSpacing(4);
  box->addStretch(1);
  progress_words_ = new QLabel(progress_box_);
  progress_words_->setObjectName(QStringLiteral("run.progress.words"));
  progress_words_->setAlignment(Qt::AlignRight);
  progress_words_->setFont(theme().font(TextSize::Chart));
  progress_words_->setMinimumWidth(theme().px(130));
  progress_bar_ = new QProgressBar(progress_box_);
  progress_bar_->setObjectName(QStringLiteral("run.progress"));
  progress_bar_->setAccessibleName(tr("Progress of the run"));
  progress_bar_->setTextVisible(false);
  progress_bar_->setFixedHeight(4);
  box->addWidget(progress_words_);
  box->addWidget(progress_bar_);
  box->addStretch(1);
  pause_ = new QPushButton(tr("Pause after this request"), this);
  pause_->setObjectName(QStringLiteral("run.pause"));
  pause_->setToolTip(tr("The present request ends, the next one waits (Ctrl+P)"));
  theme().set_icon(pause_, QStringLiteral("pause"), "text");
  stop_ = new QPushButton(tr("Stop"), this);
  stop_->setObjectName(QStringLiteral("run.stop"));
  stop_->setToolTip(tr("Cuts the present request and stops the server; the journal stays whole (Ctrl+.)"));
  stop_->setProperty("danger", true);
  theme().set_icon(stop_, QStringLiteral("stop"), "fail");
  resume_ = new QPushButton(tr("Resume"), this);
  resume_->setObjectName(QStringLiteral("run.resume"));
  resume_->setAccessibleName(tr("Resume the run"));
  resume_->setToolTip(tr("Goes on with this run in its journal: finished sessions stay, the open one is repeated whole on a fresh server"));
  resume_->setProperty("primary", true);
  theme().set_icon(resume_, QStringLiteral("play"), "onInk");
  resume_->hide();
  connect(resume_, &QPushButton::clicked, this, &RunPage::resume_run);
  actions()->addWidget(resume_);
  actions()->addWidget(progress_box_);
  actions()->addWidget(pause_);
  actions()->addWidget(stop_);
  connect(pause_, &QPushButton::clicked, this, [this] { run().paused() ? run().resume() : run().pause(); });
  connect(stop_, &QPushButton::clicked, this, [this] { run().stop(); });
}

QWidget* RunPage::build_chart() {
  chart_card_ = new Card(theme(), tr("Prompt tokens by source, per request"), this);
  chart_card_->setProperty("help", QStringLiteral("run.chart"));
  chart_ = new RequestChart(theme(), chart_card_);
  detail_ = label(QString(), "caption", chart_card_);
  detail_->setObjectName(QStringLiteral("run.detail"));
  detail_->setFont(theme().font(TextSize::Caption));
  reading_ = new ElidedLabel(QString(), "secondary", chart_card_);
  reading_->setObjectName(QStringLiteral("run.reading"));
  reading_->setFont(theme().font(TextSize::Chart));
  reading_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  reading_->hide();
  follow_ = new QPushButton(tr("Follow"), chart_card_);
  follow_->setObjectName(QStringLiteral("run.follow"));
  follow_->setAccessibleName(tr("Follow the newest request"));
  follow_->setToolTip(tr("Keeps the newest request in view; looking back pauses it (F)"));
  follow_->setCheckable(true);
  follow_->setChecked(true);
  follow_->setProperty("segment", true);
  follow_->setProperty("first", true);
  follow_->setProperty("last", true);
  auto* legend = new Legend(theme(), chart_card_);
  legend->setObjectName(QStringLiteral("run.legend"));
  auto* head = chart_card_->header();
  head->addWidget(reading_, 4);
  head->addWidget(detail_);
  head->addWidget(legend);
  head->addWidget(follow_);
  unknown_legend_ = legend;
  chart_card_->body()->addWidget(chart_, 1);
  connect(chart_, &RequestChart::crosshair_moved, this, [this, legend](const QString& words) {
    // The reading takes the legend's place: it never floats over data.
    reading_->setText(words);
    reading_->setVisible(!words.isEmpty());
    legend->setVisible(words.isEmpty());
  });
  connect(chart_, &RequestChart::detail_changed, detail_, &QLabel::setText);
  connect(chart_, &RequestChart::following_changed, follow_, &QPushButton::setChecked);
  connect(follow_, &QPushButton::toggled, chart_, &RequestChart::set_following);
  connect(chart_, &RequestChart::request_chosen, this, &RunPage::choose);
  connect(chart_, &Plot::export_failed, this, [this](const QString& sentence) {
    strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), sentence, {}, {}});
  });
  return chart_card_;
}

bool RunPage::live() const { return services_.run.running() && shown_ && shown_ == services_.run.shared_data(); }

void RunPage::show_nothing() {
  const auto sessions = plan::schedule(document().plan()).size();
  show_empty(tr("Nothing has run. The plan has %n session(s).", nullptr, int(sessions)), tr("Go to plan"), [this] { emit go_to(PlanIndex); });
  emit result_changed(QString(), "text3");
}

void RunPage::show_data(std::shared_ptr<RunData> values) {
  shown_ = std::move(values);
  show_body();
  chart_->set_data(shown_);
  sessions_->set_data(shown_.get());
  unknown_legend_->setToolTip(shown_->ttft_origin);
  update_header();
}

void RunPage::start_live() {
  last_readings_.reset();
  chosen_ = -1;
  show_data(run().shared_data());
}

void RunPage::choose(int request) {
  if (live()) {
    // The document speaks of the journal's experiment; while a run is under way the choice is ours alone.
    chosen_ = chosen_ == request ? -1 : request;
    chart_->select(chosen_);
    if (chosen_ >= 0) load_request(chosen_);
    return;
  }
  document().select_request(request);
}

void RunPage::update_live() {
  if (!run().running()) return update_header();
  if (live()) {
    sessions_->set_data(shown_.get());
    chart_->data_changed();
    if (chosen_ < 0) {
      if (run().stream().session != 0) request_->show_live(*shown_, run().stream());
      else request_->show_nothing(run().progress().doing);
    }
    server_->show_reading(*shown_, run().server(), run().stream());
  }
  update_header();
}

void RunPage::update_header() {
  const bool running = run().running();
  const RunProgress& p = run().progress();
  progress_box_->setVisible(running);
  pause_->setVisible(running);
  stop_->setVisible(running);
  resume_->setVisible(resumable());
  stop_->setEnabled(!run().stopping());
  pause_->setEnabled(!run().stopping());
  pause_->setText(run().paused() ? tr("Resume") : tr("Pause after this request"));
  follow_->setVisible(running);
  simulated_->setVisible(shown_ && shown_->simulated);
  static_cast<Legend*>(unknown_legend_)->set_unknown(shown_ && std::any_of(shown_->requests.begin(), shown_->requests.end(), [](const RunRequest& r) {
    return r.state == RequestState::Done && (!r.measured() || r.tokens[3] > 0);
  }));
  if (!shown_) {
    set_subtitle(running ? p.doing : QString());
    progress_words_->setText(running ? p.doing : QString());
    progress_bar_->setRange(0, 0);
    return;
  }
  set_subtitle(shown_->model.isEmpty() ? shown_->name : shown_->name + QStringLiteral(", ") + model_words(shown_->model));
  progress_bar_->setRange(0, int(std::max<std::size_t>(1, shown_->requests.size())));
  progress_bar_->setValue(int(shown_->done));
  QString words = shown_->done_words();
  if (run().stopping()) words = tr("stopping the server");
  else if (run().paused()) words += tr(" \u00b7 paused");
  else if (p.left_ns) words += tr(" \u00b7 %1 left").arg(clock_left(*p.left_ns));
  progress_words_->setText(words);
  progress_words_->setToolTip(p.doing);
  const QString result = shown_->done == shown_->requests.size() && !running ? tr("%1 requests").arg(exact(qint64(shown_->done))) : shown_->done_words();
  const bool bad = shown_->state == QLatin1String("failed");
  emit result_changed(bad ? tr("failed") : result, bad ? "fail" : "text3");
  if (!running) return;
  const RunSession* now = nullptr;
  for (const RunSession& s : shown_->sessions)
    if (s.ordinal == p.session) now = &s;
  if (run().stopping()) emit status(tr("Stopping the server; the journal is closed next"));
  else if (now)
    emit status(tr("%1 session %2 of %3 (%4): %5").arg(words_of(now->state).replace(0, 1, words_of(now->state).left(1).toUpper())).arg(now->ordinal + 1).arg(shown_->sessions.size()).arg(now->arm, p.doing));
}

bool RunPage::export_view() { return chart_->export_dialog(); }

QString RunPage::copy_text(bool csv) {
  if (!shown_) return {};
  const QString sep = csv ? QStringLiteral(",") : QStringLiteral("\t");
  QString out = QStringList({QStringLiteral("request"), QStringLiteral("session"), QStringLiteral("arm"), QStringLiteral("document"), QStringLiteral("round"),
                             QStringLiteral("outcome"), QStringLiteral("prompt_tokens"), QStringLiteral("computed"), QStringLiteral("gpu_hit"),
                             QStringLiteral("host_loaded"), QStringLiteral("unknown"), QStringLiteral("ttft_ns")}).join(sep) + QLatin1Char('\n');
  const auto number = [](std::int64_t v) { return v < 0 ? QString() : QString::number(v); };
  for (std::size_t i = 0; i < shown_->requests.size(); ++i) {
    const RunRequest& r = shown_->requests[i];
    const RunSession& s = shown_->sessions[std::size_t(r.session)];
    QString arm = s.arm;
    if (csv && (arm.contains(QLatin1Char(',')) || arm.contains(QLatin1Char('"')))) arm = QLatin1Char('"') + arm.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
    const std::string_view outcome = r.state == RequestState::Done ? to_string(r.outcome) : std::string_view("planned");
    out += QStringList({QString::number(i + 1), QString::number(s.ordinal + 1), arm, number(r.document < 0 ? -1 : r.document + 1), number(r.round),
                        QString::fromLatin1(outcome.data(), qsizetype(outcome.size())), number(r.prompt_tokens), number(r.tokens[2]), number(r.tokens[0]),
                        number(r.tokens[1]), number(r.tokens[3]), number(r.ttft_ns)}).join(sep) + QLatin1Char('\n');
  }
  return out;
}

bool RunPage::focus_filter() {
  emit filter_log();
  return true;
}

}  // namespace kvcliff::ui
