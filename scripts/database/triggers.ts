import type { CatalogRelation, CatalogTrigger } from './introspect.ts'

/**
 * The trigger that fills a column before a row is inserted, or before it is updated if the column may be empty or has a default.
 * Such a trigger assigns `new.column`; one that also reads it only changes the form of the value.
 */
export function fillingTrigger({ columns, triggers }: CatalogRelation, name: string): CatalogTrigger | undefined {
  const column = columns.find((other) => other.name === name)
  const isOptional = column?.isRequired === false || column?.default !== null
  return triggers.find(
    (trigger) => (trigger.isBeforeInsert || (trigger.isBeforeUpdate && isOptional)) && fills(trigger, name),
  )
}

function fills({ definition, function: called, source }: CatalogTrigger, name: string): boolean {
  if (called.startsWith('tsvector_update_trigger')) {
    return /\('((?:[^']|'')*)'/.exec(definition)?.[1]?.replaceAll(`''`, `'`) === name
  }
  const text = source.replace(/--.*$|\/\*[\s\S]*?\*\//gm, '')
  const member = `\\bnew\\s*\\.\\s*(?:${escaped(name)}\\b|"${escaped(name.replaceAll('"', '""'))}")`
  const assigned = new RegExp(`${member}\\s*(?::=|=(?!=))`, 'gi')
  const writes = [...text.matchAll(assigned)].filter(({ index }) =>
    /(?:;|\b(?:begin|then|else|loop))\s*$/i.test(text.slice(0, index)),
  )
  const into = [...text.matchAll(new RegExp(`\\binto\\s+(?:strict\\s+)?${member}`, 'gi'))]
  const uses = [...text.matchAll(new RegExp(member, 'gi'))]
  return writes.length + into.length > 0 && uses.length === writes.length + into.length
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&')
}
