// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/bridge/run_controller.h"
#include "ui/widgets/card.h"

class QLabel;

namespace kvcliff::ui {

/// Times of one stream on one line: written, first byte, first token, later tokens.
class StreamLine : public QWidget {
  Q_OBJECT
 public:
  explicit StreamLine(const Theme& theme, QWidget* parent = nullptr);
  struct Marks {
    std::optional<double> first_byte_ms, first_token_ms, end_ms;
    std::vector<double> tokens_ms;
  };
  void set_marks(Marks marks);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  Marks marks_;
};

/// A share as a bar with its words.
class Meter : public QWidget {
  Q_OBJECT
 public:
  explicit Meter(const Theme& theme, QWidget* parent = nullptr);
  /// Absent: drawn as not reported, never as empty.
  void set_share(std::optional<double> share);
  QSize sizeHint() const override { return {60, 8}; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  std::optional<double> share_;
};

/// The newest transfers as bars, highest = full height.
class RateBars : public QWidget {
  Q_OBJECT
 public:
  explicit RateBars(const Theme& theme, QWidget* parent = nullptr);
  void set_rates(std::vector<double> rates);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  std::vector<double> rates_;
};

/// The request that runs, or the one chosen in the chart.
class RequestPanel : public Card {
  Q_OBJECT
 public:
  explicit RequestPanel(const Theme& theme, QWidget* parent = nullptr);
  void show_live(const RunData& data, const StreamNow& stream);
  void show_request(const RunData& data, std::int64_t index, const RequestRecord* record);
  /// A server that did not start or fell: its cause and its own lines.
  void show_failure(const QString& title, const QString& why, const QStringList& lines);
  void show_nothing(const QString& sentence);

 private:
  void show_sources(const RunData& data, std::int64_t index, const QString& waiting);
  void failure_mode(bool on);

  const Theme& theme_;
  QLabel *where_, *first_token_, *text_, *predicted_, *measured_, *failure_, *lines_;
  StreamLine* line_;
  QWidget* request_part_;
};

/// What the server's counters say now.
class ServerPanel : public Card {
  Q_OBJECT
 public:
  explicit ServerPanel(const Theme& theme, QWidget* parent = nullptr);
  void show_reading(const RunData& data, const ServerReading& reading, const StreamNow& stream);
  void show_session(const RunData& data, std::int64_t session, const std::optional<ServerReading>& last);

 private:
  struct Row {
    QLabel *name, *value;
  };
  Row row(const QString& name, const char* object_name, const QString& tip);
  void show_values(const RunSession* s, const RunData& data, const ServerReading& r);

  const Theme& theme_;
  Row gpu_, host_, rate_, loaded_, load_, scrape_;
  Meter *gpu_meter_, *host_meter_;
  RateBars* rates_;
  QLabel* error_;
};

}  // namespace kvcliff::ui
