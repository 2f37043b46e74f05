import type { PrometheusSettings } from "@kit/types";

/** Default port of Prometheus exporters of OpenTelemetry. */
const defaultPort = 9_464;

/**
 * Returns the address at which Prometheus reads the metrics. The environment variables of OpenTelemetry apply to what the settings
 * leave open.
 *
 * @throws {TypeError} If a variable is not a port.
 */
export function addressOf({ port, hostname }: PrometheusSettings): { port: number; hostname: string } {
  const { OTEL_EXPORTER_PROMETHEUS_PORT: ofPort = "", OTEL_EXPORTER_PROMETHEUS_HOST: ofHost = "" } =
    process.env;
  if (port === undefined && ofPort !== "" && !(/^\d{1,5}$/.test(ofPort) && Number(ofPort) <= 65_535)) {
    throw new TypeError(
      `OTEL_EXPORTER_PROMETHEUS_PORT must be a whole number from 0 to 65535, not ${JSON.stringify(ofPort)}`,
    );
  }
  return {
    port: port ?? (ofPort === "" ? defaultPort : Number(ofPort)),
    hostname: hostname ?? (ofHost === "" ? "127.0.0.1" : ofHost),
  };
}
