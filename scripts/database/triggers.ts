import type { CatalogRelation, CatalogTrigger } from './introspect.ts'

/**
 * The trigger that fills a column before a row is inserted, or before it is updated if the column may be empty or has a default.
 * Such a trigger assigns `new.column`; one that also reads it only changes the form of the value.
 */
export function fillingTrigger({ columns, triggers }: CatalogRelation, name: string): CatalogTrigger | undefined {
  const column = columns.find((other) => other.name === name)
  const isOptional = column?.isRequired === false || column?.default !== null || column.hasDomainDefault
  return triggers.find(
    (trigger) =>
      trigger.isFired &&
      (trigger.isBeforeInsert || (trigger.isBeforeUpdate && isOptional)) &&
      assigns(trigger, name) === 'always',
  )
}

/** The trigger that fills a column before a row is inserted if it is absent: `if new.number is null then new.number := …`. */
export function defaultingTrigger({ triggers }: CatalogRelation, name: string): CatalogTrigger | undefined {
  return triggers.find((trigger) => trigger.isFired && trigger.isBeforeInsert && assigns(trigger, name) === 'if absent')
}

const identifier = '(?:\\w+|"(?:[^"]|"")+")'
const target = `${identifier}(?:\\s*\\.\\s*${identifier})?`

/** Null if the function does not assign the column, or reads it to change the form of the value. */
function assigns(
  { definition, function: called, source }: CatalogTrigger,
  name: string,
): 'always' | 'if absent' | null {
  if (called.startsWith('tsvector_update_trigger')) {
    return /\('((?:[^']|'')*)'/.exec(definition)?.[1]?.replaceAll(`''`, `'`) === name ? 'always' : null
  }
  const text = source.replace(/--.*$|\/\*[\s\S]*?\*\//gm, '')
  const member = `\\bnew\\s*\\.\\s*(?:${escaped(name)}\\b|"${escaped(name.replaceAll('"', '""'))}")`
  const count = (pattern: string, within: string) => [...within.matchAll(new RegExp(pattern, 'gi'))].length
  const writes = [...text.matchAll(new RegExp(`${member}\\s*(?::=|=(?!=))`, 'gi'))].filter(({ index }) =>
    /(?:;|\b(?:begin|then|else|loop))\s*$/i.test(text.slice(0, index)),
  )
  const lists = [...text.matchAll(new RegExp(`\\binto\\s+(?:strict\\s+)?(${target}(?:\\s*,\\s*${target})*)`, 'gi'))]
  const assigned = writes.length + lists.reduce((sum, [, list = '']) => sum + count(member, list), 0)
  if (assigned === 0) return null
  if (count(member, text) === assigned) return 'always'
  return count(`${member}\\s+is\\s+null\\b|\\bcoalesce\\s*\\(\\s*${member}`, text) > 0 ? 'if absent' : null
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&')
}
