/** The names in an expression of PromQL. */
export interface Expression {
  readonly metrics: readonly string[]
  /** Labels in braces. */
  readonly labels: readonly { readonly metric: string; readonly label: string }[]
  /** Labels after `by`, `without`, `on` and `ignoring`. */
  readonly grouping: readonly string[]
}

const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset', 'group_left', 'group_right'])

export function readExpression(text: string): Expression {
  const labels: { metric: string; label: string }[] = []
  const grouping: string[] = []
  const plain = text
    .replace(/"[^"]*"/g, '""')
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
      grouping.push(...namesIn(list))
      return ' '
    })
    .replace(/([a-z_][\w:]*)\{([^}]*)\}/gi, (_, metric: string, matchers: string) => {
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) labels.push({ metric, label })
      return `${metric} `
    })
    .replace(/\[[^\]]*\]|\$\w+|\b\d[\w.]*/g, ' ')
    .replace(/[a-z_]\w*\s*\(/gi, '(')
  const metrics = namesIn(plain).filter((name) => !keywords.has(name))
  return { metrics: [...new Set(metrics)], labels, grouping }
}

function namesIn(text: string): string[] {
  return text.match(/[a-z_][\w:]*/gi) ?? []
}

/** Reads the text format of Prometheus: the labels of each metric that has a sample. */
export function readSamples(text: string): Map<string, Set<string>> {
  const samples = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? [^ ]+$/gim)) {
    const found = samples.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) found.add(label)
    samples.set(name, found)
  }
  return samples
}
