/** Formats a metric in Prometheus's text format, for parts that keep their own counts. */

/** @param lines pairs of a name with labels and a value */
export function metricText(name: string, type: 'gauge' | 'counter' | 'histogram', help: string, lines: readonly (readonly [string, number])[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map(([label, value]) => `${label} ${value}\n`).join('')}`
}
