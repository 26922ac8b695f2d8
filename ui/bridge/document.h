// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"

namespace kvcliff::ui {

/// What the window is about: the plan being edited, and the experiment being looked at. Pages watch its signals.
class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(QObject* parent = nullptr);

  const plan::Plan& plan() const { return plan_; }
  const std::vector<plan::Fault>& faults() const { return faults_; }
  QString plan_path() const { return plan_path_; }
  bool plan_modified() const { return !undo_.isClean(); }
  QUndoStack& undo() { return undo_; }

  /// Replaces the plan as one undoable step named `what`. Edits with the same non-zero `merge` id that follow each
  /// other become one step (typing in one field).
  void edit_plan(plan::Plan plan, const QString& what, int merge = 0);
  /// Opens a plan file: a new document, nothing to undo. Faults stay visible; false when the file cannot be read.
  bool open_plan(const QString& path, QString* error);
  bool save_plan(const QString& path, QString* error);
  void set_plan(plan::Plan plan, const QString& path = {});

  /// A plan with changes that were not saved when another one took its place.
  struct Unsaved {
    plan::Plan plan;
    QString path;
  };
  const std::optional<Unsaved>& unsaved() const { return unsaved_; }
  void set_unsaved(std::optional<Unsaved> plan);
  void bring_back();                 ///< makes it the plan again, still not saved

  QString journal() const { return journal_; }
  std::int64_t experiment() const { return experiment_; }  ///< 0 = none
  /// Shows an experiment of a journal on Run, Reconcile and Decide. The caller has checked that it opens.
  void show_experiment(const QString& journal, std::int64_t experiment);
  int selected_request() const { return request_; }        ///< journal row order in the experiment; -1 = none
  void select_request(int request);

 signals:
  void plan_changed();
  void unsaved_changed();
  void plan_opened();   ///< after plan_changed: another document, so that entries still to be mended are of no use
  void experiment_changed();
  void request_selected(int request);
  void server_log_opened(const QString& path);
  void journal_opened(const QString& path);
  void result_opened(const QString& path);   ///< of another tool: it is imported

 private:
  friend class PlanEdit;
  void apply(const plan::Plan& plan);

  plan::Plan plan_;
  std::vector<plan::Fault> faults_;
  QString plan_path_;
  QUndoStack undo_;
  std::optional<Unsaved> unsaved_;
  QString journal_;
  std::int64_t experiment_ = 0;
  int request_ = -1;
};

}  // namespace kvcliff::ui
