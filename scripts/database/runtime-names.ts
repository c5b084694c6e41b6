import type { CatalogRelation, CatalogTrigger, DatabaseCatalog } from './introspect.ts'
import type { Remark } from './plan-types.ts'

// PostgreSQL resolves the names in the body of a function when it runs: a rehearsal that only creates triggers does not find them.

/** Why a trigger would fail in a database that has only the baseline; null if no reason is found. */
export function triggerFault(trigger: CatalogTrigger, catalog: DatabaseCatalog): string | null {
  const text = sourcesOf(trigger, catalog).join('\n')
  const schema = catalog.otherSchemas.find((name) => mentionsSchema(text, name))
  if (schema) return `its function uses the schema ${schema}`
  const setting = findSetting(text)
  if (!setting) return null
  const consequence = catalog.settings.includes(setting) ? '' : '; writes fail until the database or its role sets it'
  return `its function reads the setting ${setting}${consequence}`
}

/** One line for each trigger that the baseline does not contain. */
export function triggerRemarks(catalog: DatabaseCatalog): Remark[] {
  return catalog.relations.flatMap(({ name, triggers }) =>
    triggers.flatMap((trigger) => {
      const fault = triggerFault(trigger, catalog)
      return fault ? [{ member: `${name}.${trigger.name}`, text: `Not in the baseline: ${fault}` }] : []
    }),
  )
}

/** The tables without defaults that read a setting, with a line for each of them. */
export function withoutSettings({ relations: all }: DatabaseCatalog): {
  readonly relations: readonly CatalogRelation[]
  readonly lost: readonly Remark[]
} {
  const lost: Remark[] = []
  const relations = all.map((relation) => ({
    ...relation,
    columns: relation.columns.map((column) => {
      const setting = findSetting(column.default ?? '')
      if (!setting) return column
      const text = `Mapped without its default: it reads the setting ${setting}`
      lost.push({ member: `${relation.name}.${column.name}`, text })
      return { ...column, default: null }
    }),
  }))
  return { relations, lost }
}

/** The bodies of the function of a trigger, and of the functions that it calls. */
function sourcesOf({ function: called, source }: CatalogTrigger, { functions }: DatabaseCatalog): string[] {
  const found = new Set(functions.filter(({ signature }) => signature.startsWith(`${called}(`)))
  const sources = () => [source, ...[...found].map(({ definition }) => definition)].map(withoutComments)
  for (let size = -1; size !== found.size; ) {
    size = found.size
    const text = sources().join('\n')
    for (const other of functions)
      if (new RegExp(`\\b${escaped(nameOf(other))}"?\\s*\\(`, 'i').test(text)) found.add(other)
  }
  return sources()
}

function nameOf({ signature }: { readonly signature: string }): string {
  return signature.slice(0, signature.indexOf('('))
}

function mentionsSchema(text: string, schema: string): boolean {
  const name = escaped(schema)
  return new RegExp(`(?<![\\w.])"?${name}"?\\s*\\.\\s*["\\w]|\\bsearch_path\\b.*(?<!\\w)${name}(?!\\w)`, 'i').test(text)
}

/** The setting of an application that an expression reads, and that has to exist. */
function findSetting(text: string): string | null {
  return /\bcurrent_setting\s*\(\s*'(\w+\.[\w.]+)'(?:::text)?\s*\)/i.exec(text)?.[1] ?? null
}

function withoutComments(source: string): string {
  return source.replace(/--.*$|\/\*[\s\S]*?\*\//gm, '')
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&')
}
