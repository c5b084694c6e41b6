import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { bootWarnings } from '#kernel/errors'
import { findWriter } from '#kernel/operations'
import type { App } from '#kernel/plugin'
import { inertUses } from '../support/findings.ts'
import type { MissingIndex } from '../support/missing-indexes.ts'
import { root } from '../support/project.ts'
import type { SchemaFindings } from './schema-findings.ts'
import type { Section } from './section.ts'

/** Checks of the declarations, which need no database. */
export function declarationSections(app: App): Section[] {
  const names = app.plugins.map(({ name }) => name)
  const disabled = readdirSync(resolve(root, 'plugins')).filter((name) => !names.includes(name))
  return [
    {
      name: 'disabledPlugins',
      title: 'Plugins that are not enabled',
      severity: 'hint',
      findings: disabled.map((plugin) => ({ plugin })),
    },
    {
      name: 'inertDeclarations',
      title: 'Declared without effect: no enabled plugin implements it',
      severity: 'warning',
      findings: inertUses(app).map(({ member, word, file }) => ({ member, word, file })),
    },
    {
      name: 'typesWithoutPolicy',
      title: "Types without a policy: add one, or 'policy: open' if every requester may use the type",
      severity: 'hint',
      findings: typesWithoutPolicy(app),
    },
    {
      name: 'typesWrittenAsEntities',
      title: "Types that MikroORM's unit of work writes instead of single statements, and why",
      severity: 'hint',
      findings: typesWrittenAsEntities(app),
    },
    {
      name: 'warnings',
      title: 'Valid, but probably a mistake',
      severity: 'warning',
      findings: bootWarnings(app.registry).map(toFinding),
    },
  ]
}

/** Checks of migrations, columns and indexes. */
export function schemaSections(found: SchemaFindings): Section[] {
  const { pending, missing, unwritten, keys, lookups, uniques, unbounded, lossy } = found
  const section = (name: string, title: string, severity: Section['severity'], findings: Section['findings']) => ({
    name,
    title,
    severity,
    findings,
  })
  return [
    section(
      'pendingMigrations',
      'Migrations that are pending: npm run migrate, or npm start',
      'warning',
      pending.map((migration) => ({ migration })),
    ),
    section(
      'missingColumns',
      'Columns and tables of entities that the database lacks',
      'fault',
      missing.map((column) => ({ column })),
    ),
    section(
      'unwrittenMigrations',
      'Entities that differ from their migrations: npm run migrate -- create',
      'fault',
      unwritten.map((folder) => ({ folder })),
    ),
    section('foreignKeysWithoutIndex', 'Foreign keys without an index', 'fault', keys.map(toIndexFinding)),
    section(
      'lookupsWithoutIndex',
      'Filters, sorts and cursors without an index: add it before the table is large',
      'warning',
      lookups.map(toIndexFinding),
    ),
    section(
      'uniqueIndexesWithTrashedRows',
      'Soft deletes without a partial unique index: trashed rows keep their values',
      'warning',
      uniques.map(toIndexFinding),
    ),
    section(
      'sortsByUnlimitedText',
      'Sorts by text of unlimited length, which cannot be indexed: give the column a length if the table will be large',
      'hint',
      unbounded.map((parameter) => ({ parameter })),
    ),
    section(
      'lossyTimes',
      'Times that documents show in part: an update that sends them back destroys the rest',
      'warning',
      lossy.map(toFinding),
    ),
  ]
}

/** `policy: open` is a policy. */
function typesWithoutPolicy({ registry }: App) {
  return [...registry.types.values()]
    .filter(({ declaration }) => declaration.policy === undefined)
    .map(({ name, operations, file }) => ({ type: name, operations: [...operations], file }))
}

function toFinding(message: string) {
  return { message }
}

function toIndexFinding({ usedBy, create }: MissingIndex) {
  return { usedBy, create: `${create};` }
}

function typesWrittenAsEntities(app: App): Section['findings'] {
  return [...app.registry.types.values()].flatMap((type) => {
    const { reason } = findWriter(app, type)
    return reason === null ? [] : [{ type: type.name, reason }]
  })
}
