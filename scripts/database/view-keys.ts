import type { CatalogRelation } from './introspect.ts'

interface Output {
  readonly expression: string
  readonly name: string
}

/**
 * The columns of a view that identify its rows by its query, as PostgreSQL prints it: the grouped columns, or the primary key
 * of the only table. Null if the query has another form.
 */
export function definedKey(
  { definition }: CatalogRelation,
  relations: readonly CatalogRelation[],
): readonly string[] | null {
  const query = definition ? readQuery(definition) : null
  if (!query) return null
  const { outputs, from, groupBy } = query
  const [, table = '', alias = table] = /^(\S+)(?: (\S+))?$/.exec(from) ?? []
  const only = relations.find(({ name, kind }) => kind === 'table' && name === plainName(table))
  const primary = only?.constraints.find(({ kind }) => kind === 'primary key')?.columns ?? []
  const wanted = groupBy ?? primary.map((name) => [`${alias}.${name}`, `${alias}."${name}"`, name, `"${name}"`])
  const found = wanted.map((forms) => outputs.find(({ expression }) => forms.includes(expression))?.name)
  return found.length > 0 && !found.includes(undefined) ? (found as string[]) : null
}

const clause = /^(from|where|group by|having|window|order by|limit|offset|union|intersect|except)\b/i

/** Null for a query with common table expressions, set operations, `distinct`, or functions that return sets. */
function readQuery(definition: string): { outputs: Output[]; from: string; groupBy: string[][] | null } | null {
  const text = definition.trim().replace(/;$/, '').replace(/\s+/g, ' ')
  if (!/^select (?!distinct)/i.test(text) || /\b(unnest|generate_series|json\w*_(?:each|elements)\w*)\(/i.test(text)) {
    return null
  }
  const clauses = new Map<string, string>()
  let name = 'select'
  for (const word of splitTopLevel(text.slice('select '.length), ' ')) {
    const pair = clause.exec(/^(?:group|order)$/i.test(word) ? `${word} by` : word)?.[1]?.toLowerCase()
    if (pair) name = pair
    else if (!/^by$/i.test(word)) clauses.set(name, `${clauses.get(name) ?? ''} ${word}`.trim())
    if (/^(?:union|intersect|except)$/.test(name)) return null
  }
  const list = (key: string) => splitTopLevel(clauses.get(key) ?? '', ',').map((item) => item.trim())
  const groupBy = clauses.has('group by') ? list('group by').map((item) => [item, withoutParentheses(item)]) : null
  return { outputs: list('select').map(readOutput), from: clauses.get('from') ?? '', groupBy }
}

/** `o.state`, `(placed_at)::date AS day` */
function readOutput(item: string): Output {
  const [, expression = item, name = ''] = /^(.+) AS (\S+|".+")$/.exec(item) ?? []
  return { expression, name: plainName(name || (splitTopLevel(item, '.').at(-1) as string)) }
}

function plainName(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
}

function withoutParentheses(text: string): string {
  return /^\((.+)\)$/.exec(text)?.[1] ?? text
}

/** Splits at a character that is in no parentheses and no quotation marks. */
function splitTopLevel(text: string, separator: string): string[] {
  const parts = ['']
  let depth = 0
  let quote = ''
  for (const character of text) {
    if (quote) quote = character === quote ? '' : quote
    else if (character === `'` || character === '"') quote = character
    else if (character === '(') depth++
    else if (character === ')') depth--
    if (character === separator && depth === 0 && !quote) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}
