// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/document.h"

#include <QUndoCommand>

#include "base/file.h"

namespace kvcliff::ui {

/// One edit of the plan; holds both values whole, so that undo cannot drift.
class PlanEdit : public QUndoCommand {
 public:
  PlanEdit(Document& document, plan::Plan before, plan::Plan after, const QString& what, int merge)
      : QUndoCommand(what), document_(document), before_(std::move(before)), after_(std::move(after)), merge_(merge) {}
  void undo() override { document_.apply(before_); }
  void redo() override { document_.apply(after_); }
  int id() const override { return merge_ == 0 ? -1 : merge_; }
  bool mergeWith(const QUndoCommand* other) override {
    after_ = static_cast<const PlanEdit*>(other)->after_;
    setObsolete(after_ == before_);
    return true;
  }

 private:
  Document& document_;
  plan::Plan before_, after_;
  int merge_;
};

Document::Document(QObject* parent) : QObject(parent) {}

void Document::apply(const plan::Plan& plan) {
  plan_ = plan;
  faults_ = plan::validate(plan_);
  emit plan_changed();
}

void Document::edit_plan(plan::Plan plan, const QString& what, int merge) {
  if (plan == plan_) return;
  undo_.push(new PlanEdit(*this, plan_, std::move(plan), what, merge));
}

void Document::set_unsaved(std::optional<Unsaved> plan) {
  unsaved_ = std::move(plan);
  emit unsaved_changed();
}

void Document::bring_back() {
  if (!unsaved_) return;
  const Unsaved back = *unsaved_;
  set_unsaved({});  // what stands now takes its place, if it has changes too
  set_plan(back.plan, back.path);
  undo_.resetClean();
  emit plan_changed();
}

void Document::set_plan(plan::Plan plan, const QString& path) {
  if (plan_modified()) set_unsaved(Unsaved{plan_, plan_path_});
  plan_path_ = path;
  undo_.clear();
  apply(plan);
  emit plan_opened();
}

bool Document::open_plan(const QString& path, QString* error) {
  const auto text = read_file(path.toStdString());
  if (!text) {
    *error = QString::fromStdString(text.error().sentence());
    return false;
  }
  const auto json = parse_json(*text, path.toStdString());
  if (!json) {
    *error = QString::fromStdString(json.error().sentence());
    return false;
  }
  const auto parsed = plan::parse(*json);
  set_plan(parsed.plan, path);
  faults_ = parsed.faults;
  emit plan_changed();
  return true;
}

bool Document::save_plan(const QString& path, QString* error) {
  const auto done = write_file(path.toStdString(), plan::to_json(plan_).dump(2) + "\n");
  if (!done) {
    *error = QString::fromStdString(done.error().sentence());
    return false;
  }
  plan_path_ = path;
  undo_.setClean();
  emit plan_changed();
  return true;
}

void Document::show_experiment(const QString& journal, std::int64_t experiment) {
  journal_ = journal;
  experiment_ = experiment;
  request_ = -1;
  emit experiment_changed();
}

void Document::select_request(int request) {
  if (request == request_) return;
  request_ = request;
  emit request_selected(request);
}

}  // namespace kvcliff::ui
