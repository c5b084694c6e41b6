/** One comparison of a filter: `(artist_id = 5)`. */
export interface Comparison {
  /** A column, or an expression such as `lower((title)::text)`, without the alias of the table. */
  readonly key: string
  readonly isColumn: boolean
  readonly operator: string
  readonly value: string
}

const operators = /^ (=|<=|>=|<|>|~~|@>|&&) /

/**
 * Reads the comparisons of a filter as PostgreSQL prints it, if they are joined by AND. Skips conditions that no index
 * key serves: booleans, OR, NOT, IS NULL, subqueries.
 */
export function readComparisons(filter: string, alias: string): Comparison[] {
  return splitConjuncts(filter).flatMap((conjunct) => toComparison(conjunct, alias) ?? [])
}

/** Returns the column or expression of a key, without alias and cast. */
export function readKey(text: string, alias: string): Pick<Comparison, 'key' | 'isColumn'> {
  const expression = stripParentheses(text).replaceAll(new RegExp(`(?<![\\w"])"?${escapePattern(alias)}"?\\.`, 'g'), '')
  const column = /^\(?("(?:[^"]|"")+"|\w+)\)?(?:::[a-z][a-z ]*(?:\(\d+\))?)?$/.exec(expression)?.[1]
  return column
    ? { key: column.replace(/^"|"$/g, '').replaceAll('""', '"'), isColumn: true }
    : { key: expression, isColumn: false }
}

function toComparison(conjunct: string, alias: string): Comparison | null {
  for (const index of topLevel(conjunct)) {
    const operator = operators.exec(conjunct.slice(index, index + 5))?.[1]
    if (!operator) continue
    const left = conjunct.slice(0, index)
    if (/\$|SubPlan|InitPlan/.test(left)) return null
    return { ...readKey(left, alias), operator, value: conjunct.slice(index + operator.length + 2) }
  }
  return null
}

function splitConjuncts(text: string): string[] {
  const condition = stripParentheses(text)
  const parts: string[] = []
  let start = 0
  for (const index of topLevel(condition)) {
    if (index < start || !condition.startsWith(' AND ', index)) continue
    parts.push(condition.slice(start, index))
    start = index + ' AND '.length
  }
  return [...parts, condition.slice(start)].map(stripParentheses)
}

/** Removes parentheses that enclose the whole text. */
function stripParentheses(text: string): string {
  const isEnclosed = text.startsWith('(') && text.endsWith(')') && topLevel(text).length === 0
  return isEnclosed ? stripParentheses(text.slice(1, -1)) : text
}

/** The positions outside of parentheses and quotes, without the parentheses themselves. */
function topLevel(text: string): number[] {
  const positions: number[] = []
  let depth = 0
  let quote = ''
  for (const [index, character] of [...text].entries()) {
    if (quote) {
      if (character === quote) quote = ''
    } else if (character === "'" || character === '"') quote = character
    else if (character === '(') depth++
    else if (character === ')') depth--
    else if (depth === 0) positions.push(index)
  }
  return positions
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
