// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <optional>

#include "ui/bridge/run_controller.h"
#include "ui/pages/page.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace kvcliff::ui {

class Card;
class Chip;
class RequestChart;
class RequestPanel;
class ServerPanel;
class SessionStrip;

/// Watches a run: sessions, requests by source with TTFT, the present stream, the server. An old journal is shown by the
/// same widgets from the same values.
class RunPage : public Page {
  Q_OBJECT
 public:
  explicit RunPage(Services services, QWidget* parent = nullptr);
  ~RunPage() override;

  bool export_view() override;
  QString copy_text(bool csv) override;
  bool focus_filter() override;
  RequestChart& chart() { return *chart_; }
  /// What is shown now; null when nothing is.
  const RunData* shown() const { return shown_.get(); }

 signals:
  void log_wanted();                        ///< show the log dock
  void filter_log();                        ///< and put the focus into its filter
  void log_cleared();
  /// Lines of the shown session, from a journal.
  /// Where the whole log of the shown session lies.
  void log_kept_in(const QString& journal, qint64 session);
  void log_loaded(const QString& source, const std::vector<kvcliff::LogLine>& lines, qint64 dropped);

 private:
  void build_header();
  QWidget* build_chart();
  void start_live();
  void update_live();
  void update_header();
  void update_failure();
  /// The shown run has open sessions that its plan can still measure.
  bool resumable() const;
  void resume_run();
  void ended(const QString& end, const QString& why, const QString& journal, qint64 experiment);
  void load();                              ///< the document's experiment, on a worker
  void load_request(std::int64_t index);
  void load_log(std::int64_t session);
  void show_data(std::shared_ptr<RunData> data);
  void choose(int request);
  void show_nothing();
  bool live() const;

  SessionStrip* sessions_;
  Card* chart_card_;
  RequestChart* chart_;
  RequestPanel* request_;
  ServerPanel* server_;
  QWidget* side_;
  QPushButton *pause_, *stop_, *resume_, *follow_;
  QLabel *progress_words_, *reading_, *detail_, *doing_;
  QProgressBar* progress_bar_;
  QWidget* progress_box_;
  Chip* simulated_;
  QWidget* unknown_legend_ = nullptr;
  std::shared_ptr<RunData> shown_;
  std::shared_ptr<const std::vector<std::optional<ServerReading>>> last_readings_;
  int chosen_ = -1;                         ///< request looked at; -1: the present one
  std::atomic<std::uint64_t> generation_{0};  ///< a late result of an older one is dropped, a long one stops
  std::uint64_t detail_generation_ = 0;
  QThreadPool pool_;                        ///< reads of journals; waits for them at the end
};

}  // namespace kvcliff::ui
