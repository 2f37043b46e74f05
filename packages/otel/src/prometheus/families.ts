import {
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";

/** Metric of Prometheus: its name, its type and its values. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Lines such as `http_server_active_requests 3`. */
  readonly samples: readonly string[];
}

type Labels = Readonly<Record<string, unknown>>;

/** Suffixes of names for units of OpenTelemetry. A unit in braces, such as `{request}`, has no suffix. */
const suffixes: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes", "1": "_ratio" };

/**
 * Converts metrics of OpenTelemetry to metrics of Prometheus, with the names that the specification "Prometheus and OpenMetrics
 * Compatibility" of OpenTelemetry gives them. Leaves out the labels `otel_scope_name` and `otel_scope_version`. `worker` becomes a label of
 * every value, unless it is `null`.
 */
export function familiesOf({ resource, scopeMetrics }: ResourceMetrics, worker: number | null): Family[] {
  const own: Labels = worker === null ? {} : { worker };
  const target: Family = {
    name: "target_info",
    help: "Resource of the telemetry",
    type: "gauge",
    samples: [line("target_info", { ...resource.attributes, ...own }, 1)],
  };
  const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
  return [target, ...metrics.flatMap((metric) => familyOf(metric, own) ?? [])];
}

/** Returns the metrics of all processes in the text format of Prometheus, version 0.0.4. */
export function textOf(ofProcesses: readonly (readonly Family[])[]): string {
  // The format requires all values of a metric in one group.
  const merged = new Map<string, Family & { readonly samples: string[] }>();
  for (const family of ofProcesses.flat()) {
    const known = merged.get(family.name);
    if (known === undefined) merged.set(family.name, { ...family, samples: [...family.samples] });
    else known.samples.push(...family.samples);
  }
  let text = "";
  for (const { name, help, type, samples } of merged.values())
    text += `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${samples.join("\n")}\n`;
  return text;
}

/**
 * Converts one metric. Returns undefined for a metric without values, and for exponential histograms, which the text format
 * does not have.
 */
function familyOf(metric: MetricData, own: Labels): Family | undefined {
  const { descriptor, dataPoints } = metric;
  if (dataPoints.length === 0) return undefined;
  const name = `${nameOf(descriptor.name)}${suffixes[descriptor.unit] ?? ""}`;
  const help = descriptor.description;
  switch (metric.dataPointType) {
    case DataPointType.SUM:
    case DataPointType.GAUGE: {
      const isCounter = metric.dataPointType === DataPointType.SUM && metric.isMonotonic;
      const full = isCounter ? `${name}_total` : name;
      const samples = metric.dataPoints.map((point) =>
        line(full, { ...point.attributes, ...own }, point.value),
      );
      return { name: full, help, type: isCounter ? "counter" : "gauge", samples };
    }
    case DataPointType.HISTOGRAM:
      return { name, help, type: "histogram", samples: histogramLines(name, metric, own) };
    default:
      return undefined;
  }
}

function histogramLines(name: string, { dataPoints }: HistogramMetricData, own: Labels): string[] {
  return dataPoints.flatMap(({ attributes, value }) => {
    const { buckets, count, sum = 0 } = value;
    const labels = { ...attributes, ...own };
    let total = 0;
    // Each bucket of Prometheus includes the buckets below.
    const lines = buckets.boundaries.map((boundary, index) => {
      total += buckets.counts[index]!;
      return line(`${name}_bucket`, { ...labels, le: boundary }, total);
    });
    return [
      ...lines,
      line(`${name}_bucket`, { ...labels, le: "+Inf" }, count),
      line(`${name}_sum`, labels, sum),
      line(`${name}_count`, labels, count),
    ];
  });
}

function line(name: string, labels: Labels, value: number): string {
  const texts = new Map<string, string>();
  for (const [key, label] of Object.entries(labels)) {
    if (label === undefined) continue;
    // Other instrumentation may have the attributes `a.b` and `a_b`. The specification joins their values.
    const known = texts.get(nameOf(key));
    const text = textOfLabel(label);
    texts.set(nameOf(key), known === undefined ? text : `${known};${text}`);
  }
  const pairs = [...texts].map(([key, text]) => `${key}="${escaped(text).replaceAll('"', '\\"')}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function textOfLabel(label: unknown): string {
  return typeof label === "object" ? JSON.stringify(label) : String(label);
}

function nameOf(name: string): string {
  const valid = name.replace(/[^a-zA-Z0-9_]+/g, "_");
  return /^\d/.test(valid) ? `_${valid}` : valid;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
