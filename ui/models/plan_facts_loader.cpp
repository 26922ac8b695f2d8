// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QMetaObject>
#include <QPointer>

#include "host/facts.h"
#include "process/ports.h"
#include "process/preflight.h"
#include "ui/models/plan_facts.h"

namespace kvcliff::ui {

PlanFactsLoader::PlanFactsLoader(QString resources, QObject* parent)
    : QObject(parent), resources_(std::move(resources)), sizes_(std::make_shared<ModelSizes>(resources_)) {
  pool_.setMaxThreadCount(1);
  check_pool_.setMaxThreadCount(1);
  rest_.setSingleShot(true);
  rest_.setInterval(40);
  check_rest_.setSingleShot(true);
  check_rest_.setInterval(400);
  connect(&rest_, &QTimer::timeout, this, &PlanFactsLoader::start_facts);
  connect(&check_rest_, &QTimer::timeout, this, &PlanFactsLoader::check_machine);
}

PlanFactsLoader::~PlanFactsLoader() {
  for (QThreadPool* pool : {&pool_, &check_pool_}) {
    pool->clear();
    pool->waitForDone();
  }
}

void PlanFactsLoader::update(const plan::Plan& plan, const QString& folder) {
  if (!plan::validate(plan).empty()) return;
  const bool same_needs = facts_ && plan.capacity == plan_.capacity && plan.engine == plan_.engine && plan.launcher == plan_.launcher &&
                          plan.arms == plan_.arms && plan.model == plan_.model;
  plan_ = plan;
  folder_ = folder;
  rest_.start();
  if (!same_needs) {
    check_rest_.start();
    emit preflight_changed();
  }
}

void PlanFactsLoader::start_facts() {
  const std::uint64_t generation = ++generation_;
  pool_.clear();  // what has not begun is of an older plan
  pool_.start([this, generation, plan = plan_, folder = folder_, sizes = sizes_, resources = resources_, port = port_] {
    auto facts = std::make_shared<const PlanFacts>(facts_of(plan, folder, *sizes, resources, port));
    QMetaObject::invokeMethod(this, [this, generation, facts] {
      if (generation != generation_) return;
      facts_ = facts;
      emit facts_changed();
    }, Qt::QueuedConnection);
  }, 1);
}

void PlanFactsLoader::check_machine() {
  const std::uint64_t generation = ++check_generation_;
  checking_ = true;
  emit preflight_changed();
  check_pool_.clear();
  check_pool_.start([this, generation, plan = plan_, sizes = sizes_, journal = journal_.toStdString()] {
    QElapsedTimer clock;
    clock.start();
    const auto port = process::free_port();
    const auto layout = sizes->layout(plan);
    const auto layers = layout ? layout->dimensions.layers : std::nullopt;
    host::Needs needs = process::needs_of(plan, layers);
    needs.journal = journal;
    const host::Facts facts = host::read_facts(needs.gpus > 0);
    auto items = process::preflight(plan, needs, facts, "127.0.0.1", port.value_or(0));
    if (!port) items.front() = {.id = "port", .state = host::PreflightItem::State::fail, .what = port.error().what, .why = port.error().why, .next = port.error().next};
    const double ms = double(clock.nsecsElapsed()) * 1e-6;
    QMetaObject::invokeMethod(this, [this, generation, items = std::move(items), ms, port = port.value_or(0)] {
      if (generation != check_generation_) return;
      items_ = items;
      preflight_ms_ = ms;
      checking_ = false;
      if (port != 0 && port_ != port) {
        port_ = port;
        rest_.start();  // the commands name the port
      }
      emit preflight_changed();
    }, Qt::QueuedConnection);
  });
}

}  // namespace kvcliff::ui
