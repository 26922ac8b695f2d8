// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/judge.h"
#include "analysis/sweep.h"
#include "base/result.h"
#include "cache/sizing.h"
#include "cache/working_set.h"
#include "journal/reader.h"
#include "ui/bridge/model_sizes.h"

namespace kvcliff::ui {

class Document;

/// One experiment with everything that core concludes from its journal. Pages share one of these and change nothing.
struct Judged : analysis::Judgement {
  std::optional<cache::HostSizing> sizing;
  std::string sizing_why;                  ///< when absent
  std::int64_t host_chunk_bytes = 0;       ///< over all ranks; 0 = unknown
  std::vector<analysis::SweepPoint> sweep; ///< the measured cliff; empty unless the run is a sweep
  std::vector<cache::WorkingSetPoint> sweep_curve;  ///< predicted, tier on, revisits
  cache::Config sweep_config;
  std::int64_t sweep_document_blocks = 0;

  /// Measured requests in running order: the index that Document::select_request speaks of.
  std::vector<const reconcile::RequestChecks*> measured;
  const RequestRecord& record(const reconcile::RequestChecks& q) const { return input.sessions[q.session].requests[q.request]; }
  const RequestRecord& record(int request) const { return record(*measured[std::size_t(request)]); }
  /// "2 on": number of a session as people count it, and its arm.
  QString session_name(std::size_t session) const;
  /// "Request 31: session 2 (on), round 3, document 1".
  QString request_words(int request) const;
  /// "run 0011… · plan 7c1e… · vllm 0.32 · kvcliff 0.1.0 · gates pass": the line under every export.
  QString caption() const;
  QString watermark() const;
  QString gates_word() const;
};
using JudgedPtr = std::shared_ptr<const Judged>;

/// Reads and judges an experiment (analysis::judge), on the calling thread. Errors: those of analysis::judge.
Result<JudgedPtr> judge(const std::string& journal, const std::string& experiment, const ModelSizes& sizes,
                        journal::Depth depth = journal::Depth::details);

/// The raw evidence of one request.
struct RequestDetail {
  int request = -1;
  RequestRecord record;                    ///< with events, and the raw answer where the plan kept it
  std::optional<CounterSnapshot> before, after;
  QString scrapes_why;                     ///< when one of them is absent
  std::vector<LogLine> log;                ///< lines from shortly before the request to shortly after it
  std::size_t log_lines = 0;               ///< of the whole session
  QString error;
};

/// What the Reconcile and Decide pages stand on. Everything heavy runs on a worker; a result of an older generation is
/// dropped, so that the last thing asked for is the one shown.
class Evidence : public QObject {
  Q_OBJECT
 public:
  Evidence(Document& document, const QString& resources, QObject* parent = nullptr);
  ~Evidence() override;

  JudgedPtr judged() const { return judged_; }
  bool loading() const { return loading_; }
  QString error() const { return error_; }
  /// The run has so many requests that they are judged on demand only: `judge_all` does. The error says so.
  bool asks() const { return asks_; }
  std::shared_ptr<const RequestDetail> detail() const { return detail_; }
  const ModelSizes& sizes() const { return *sizes_; }

 public slots:
  /// Reads the document's experiment again (a run that goes on, a journal that grew).
  void reload();
  /// The same, however many requests there are.
  void judge_all();

 signals:
  void changed();          ///< judged, loading or error
  void detail_changed();

 private:
  void load(std::int64_t most_requests);
  void load_detail(int request);

  Document& document_;
  std::shared_ptr<const ModelSizes> sizes_;
  JudgedPtr judged_;
  std::shared_ptr<const RequestDetail> detail_;
  QString error_;
  bool loading_ = false, asks_ = false;
  std::uint64_t generation_ = 0, detail_generation_ = 0;
  QThreadPool pool_;
};

}  // namespace kvcliff::ui
