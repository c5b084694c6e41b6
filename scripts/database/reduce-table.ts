import { tableUnit } from './baseline-source.ts'
import type { CatalogColumn, CatalogConstraint, CatalogRelation, DatabaseCatalog } from './introspect.ts'
import type { Remark } from './plan-types.ts'

/** Executes statements as one; returns the message of the database if it rejects one of them. */
export type Execute = (statements: readonly string[]) => Promise<string | null>

/** A table without the columns, defaults and constraints that a database rejects; null if no part of it is the reason. */
export async function reduceTable(
  relation: CatalogRelation,
  catalog: DatabaseCatalog,
  execute: Execute,
): Promise<{ readonly kept: CatalogRelation | null; readonly lost: readonly Remark[] }> {
  const lost: Remark[] = []
  /** Creates the table with these parts and removes it again. Adds a remark if the database rejects it. */
  const accepts = async (parts: Partial<CatalogRelation>, name: string, consequence: string): Promise<boolean> => {
    const part = { ...relation, constraints: [], partitionKey: null, ...parts }
    const { statements } = tableUnit(part, { ...catalog, sequences: [] })
    const message = await execute([...statements, `drop table "${relation.name.replaceAll('"', '""')}"`])
    if (message !== null) lost.push({ member: `${relation.name}.${name}`, text: `${consequence}: ${message}` })
    return message === null
  }
  const columns: CatalogColumn[] = []
  for (const declared of relation.partition ? [] : relation.columns) {
    const bare = { ...declared, collation: null, default: null, identity: null, generated: null }
    if (!(await accepts({ columns: [bare] }, declared.name, 'Not mapped'))) continue
    const { collation } = declared
    const isCollated =
      !collation ||
      (await accepts({ columns: [{ ...bare, collation }] }, declared.name, 'Mapped without its collation'))
    const column = isCollated ? declared : { ...declared, collation: null }
    if (column.generated) columns.push(column)
    else
      columns.push(
        (await accepts({ columns: [column] }, column.name, 'Mapped without its default'))
          ? column
          : { ...bare, collation: column.collation },
      )
  }
  const stored = columns.filter(({ generated }) => !generated)
  const kept = [...columns]
  for (const column of columns.filter(({ generated }) => generated)) {
    const isKept = await accepts({ columns: [...stored, column] }, column.name, 'Not mapped')
    if (!isKept) kept.splice(kept.indexOf(column), 1)
  }
  const hasAll = (names: readonly string[]) => names.every((name) => kept.some((column) => column.name === name))
  const constraints: CatalogConstraint[] = []
  for (const constraint of relation.constraints.filter((one) => hasAll(one.columns))) {
    const isKept =
      constraint.kind === 'foreign key' ||
      (await accepts({ columns: kept, constraints: [constraint] }, constraint.name, 'Not in the baseline'))
    if (isKept) constraints.push(constraint)
  }
  const indexes = relation.indexes.filter((index) => hasAll(index.columns))
  return {
    kept: lost.length > 0 && kept.length > 0 ? { ...relation, columns: kept, constraints, indexes } : null,
    lost,
  }
}
