import { type Attribute, type EntityShape, getOrCreate, type Relation, type ResourceType } from '#kernel/plugin'

/** The argument of the trigger of one table. */
export interface TableRecord {
  /** The types of its rows. */
  readonly rows: RowRecord[]
  /** The to-many relationships, and the inverse sides of one-to-one relationships, whose members its rows are or join. */
  readonly links: LinkRecord[]
}

export interface RowRecord extends Discriminated {
  readonly type: string
  /** The column of the key. */
  readonly key: string
  /** The column with the time of a soft deletion. */
  readonly deleted?: string
  /** The members of a resource by column. */
  readonly columns: Readonly<Record<string, readonly string[]>>
  /** The columns of the members whose values are kept, by member. */
  readonly kept?: Readonly<Record<string, string>>
}

export interface LinkRecord extends Discriminated {
  readonly type: string
  readonly member: string
  /** The column with the key of the resource that has the relationship. */
  readonly owner: string
  /** The column with the key of the member. */
  readonly memberKey: string
  /** The columns of the association that the relationship shows. */
  readonly columns?: readonly string[]
  /** Whether the key of the member is kept. */
  readonly keeps?: true
}

type TableShape = ReturnType<NonNullable<EntityShape['table']>>
type LinkTable = NonNullable<ReturnType<TableShape['findLinks']>>
/** The rows of a table that a record is about; without it, all rows. */
export type Discriminated = Pick<TableShape, 'discriminator' | 'values'>

/** The records by table, quoted, of the types with `changes: true`. Throws a sentence if a table cannot be recorded. */
export function tableRecords(types: readonly ResourceType[]): ReadonlyMap<string, TableRecord> {
  const records = new Map<string, TableRecord>()
  const recordOf = (table: string) => getOrCreate(records, table, (): TableRecord => ({ rows: [], links: [] }))
  for (const type of types) {
    const table = readTable(type)
    recordOf(table.name).rows.push(rowRecord(type, table))
    for (const relation of type.relations) {
      const links = relation.property === null ? null : table.findLinks(relation.property, relation.throughProperty)
      if (links) recordOf(links.name).links.push(linkRecord(type, relation, links))
    }
  }
  return records
}

function readTable({ name, file, shape }: ResourceType): TableShape {
  const table = shape.table?.()
  if (table?.kind === 'table') return table
  const cause = table?.kind === 'tables' ? 'its rows are spread over several tables' : 'its rows are those of a view'
  throw new Error(`${name} (${file}): changes: true needs a table of its own, but ${cause}.`)
}

function rowRecord(type: ResourceType, table: TableShape): RowRecord {
  const columns: Record<string, string[]> = {}
  const values: Record<string, string> = {}
  for (const field of [...type.attributes, ...type.relations]) {
    const stored = listColumns(field, table)
    for (const column of stored) {
      columns[column] ??= []
      columns[column].push(field.name)
    }
    const [column] = stored
    if (field.property === null) continue
    const isSecret = field.hidden === true || (field.role === 'attribute' && field.writeOnly === true)
    if (column !== undefined && stored.length === 1 && !isSecret) values[field.name] = column
  }
  const [deleted] = Object.keys(type.deletedValues?.() ?? {}).map((name) => table.listColumns(name)[0])
  return {
    type: type.name,
    key: table.listColumns(type.id.property)[0] as string,
    ...(deleted !== undefined && { deleted }),
    columns,
    ...(type.declaration.history && { kept: values }),
    ...discriminatedBy(table),
  }
}

/** The columns of a field: of a map, those of its children. None for computed fields, and those of other rows. */
function listColumns(field: Attribute | Relation, table: TableShape): readonly string[] {
  if (field.role === 'attribute' && field.on) return []
  if (field.role === 'attribute' && field.kind === 'map')
    return [...new Set(field.children.flatMap((child) => listColumns(child, table)))]
  return field.property === null ? [] : table.listColumns(field.property)
}

function linkRecord({ name, declaration }: ResourceType, relation: Relation, links: LinkTable): LinkRecord {
  const association = relation.pivotShape?.table?.()
  const columns = association ? relation.pivotFields.flatMap((field) => listColumns(field, association)) : []
  return {
    type: name,
    member: relation.name,
    owner: links.owner,
    memberKey: links.member,
    ...(columns.length > 0 && { columns }),
    ...(declaration.history && relation.throughProperty === null && { keeps: true }),
    ...discriminatedBy(links),
  }
}

function discriminatedBy({ discriminator, values }: Discriminated): Discriminated {
  return discriminator === undefined || values === undefined ? {} : { discriminator, values }
}
