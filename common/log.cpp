#include "common/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace ipfit {

struct Log::Sink {
  spdlog::logger logger;
  explicit Sink(spdlog::sink_ptr sink) : logger("ipfit", std::move(sink)) {
    logger.set_pattern("%Y-%m-%d %H:%M:%S.%e %L %v");
    logger.flush_on(spdlog::level::info);
  }
};

Log::Log(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

Log Log::to_stderr() {
  return Log(std::make_shared<Sink>(std::make_shared<spdlog::sinks::stderr_sink_mt>()));
}

Log Log::to_file(const std::string& path) {
  try {
    return Log(std::make_shared<Sink>(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path)));
  } catch (const spdlog::spdlog_ex&) {
    return to_stderr();
  }
}

Log Log::nowhere() {
  return Log(std::make_shared<Sink>(std::make_shared<spdlog::sinks::null_sink_mt>()));
}

void Log::info(std::string_view text) const {
  sink_->logger.info("{}", text);
}

void Log::warn(std::string_view text) const {
  sink_->logger.warn("{}", text);
}

void Log::error(std::string_view text) const {
  sink_->logger.error("{}", text);
}

}  // namespace ipfit
