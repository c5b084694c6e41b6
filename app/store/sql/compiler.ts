import type { EntityClass, EntityMetadata, EntityName, EntityProperty, Platform } from '@mikro-orm/core'
import type { Condition, Relation, ResourceType, Row, SortTerm } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { type ScopeParameters, toConditionError } from '../errors/statement-errors.ts'
import type { StoreUnit } from '../unit.ts'
import { columnSql, quoteIdentifier } from './columns/column-sql.ts'
import { isInlined } from './columns/embedded.ts'
import { conditionSql } from './condition-sql.ts'
import type { ParameterSource } from './run-statement.ts'
import type { Scopes } from './scopes.ts'
import type { Slot } from './statement-builder.ts'

/** Writes the text of one statement and collects its parameters. Values are always bound, never part of the text. */
export class Compiler {
  readonly parameters: unknown[] = []
  /** The source of each parameter. Null for a value that is not in a slot of the statement. */
  readonly sources: (ParameterSource | null)[] = []
  /** False if the text depends on more than the shape of the statement. */
  isCacheable = true
  /** The parameters of scopes. Those of a scope inside another one come before it. */
  readonly scoped: ScopeParameters[] = []
  readonly unit: StoreUnit
  readonly #scopes: Scopes
  readonly #values: readonly unknown[]
  readonly #pivots = new Map<string, Pivot>()
  /** Types whose scope is being compiled. */
  readonly #scoping = new Set<ResourceType>()
  #aliases = 0

  /** `values` are those in the slots of the statement. */
  constructor(unit: StoreUnit, scopes: Scopes, values: readonly unknown[] = []) {
    this.unit = unit
    this.#scopes = scopes
    this.#values = values
  }

  /** Runs a statement with the parameters. */
  run(sql: string): Promise<Row[]> {
    const conditions = { where: [], scopes: this.#scopes }
    return this.unit.run(sql, this.parameters).catch((error) => {
      throw toConditionError(error, this.scoped, conditions)
    })
  }

  bind(value: unknown, cast?: string, source: ParameterSource | null = null): string {
    this.parameters.push(value)
    this.sources.push(source)
    return cast ? `$${this.parameters.length}::${cast}` : `$${this.parameters.length}`
  }

  /** Binds a value that is read from a slot of the statement, so that the cached text can be used with other values. */
  bindFrom<Value>({ index, value }: Slot<Value>, read: (value: Value) => unknown, cast?: string): string {
    return this.bind(read(value), cast, index < 0 ? null : { slot: index, read })
  }

  /** Binds the value of a slot itself. */
  bindSlot({ index, value }: Slot<unknown>, cast?: string): string {
    return this.bind(value, cast, index < 0 ? null : { slot: index, read: null })
  }

  /** The slot of a condition that compares a column with values. */
  slotOf<Value>(value: Value): Slot<Value> {
    return { index: this.#values.indexOf(value), value }
  }

  /** Whether a column holds one of the keys. PostgreSQL plans `any` for ten keys, so a single key is compared with `=`. */
  isOneOf(column: string, keys: Slot<readonly unknown[]>): string {
    return keys.value.length === 1
      ? `${column} = ${this.bindFrom(keys, first)}`
      : `${column} = any(${this.bindFrom(keys, itself)})`
  }

  alias(): string {
    return `t${this.#aliases++}`
  }

  get platform(): Platform {
    return this.unit.orm.em.getPlatform()
  }

  meta(rows: RowsOfEntity): EntityMetadata {
    return metaOf(rows, this.unit.orm)
  }

  table(rows: RowsOfEntity): string {
    return tableExpression(this.meta(rows))
  }

  property(rows: RowsOfEntity, name: string): EntityProperty {
    return propertyOf(this.meta(rows), name)
  }

  /** The properties of the primary key. */
  keys(rows: RowsOfEntity): readonly string[] {
    return listKeys(this.meta(rows))
  }

  column(rows: RowsOfEntity, property: string, alias: string): string {
    return columnSql(this.meta(rows), this.property(rows, property), alias, this.platform)
  }

  key(type: ResourceType, alias: string): string {
    return this.column(type, type.id.property, alias)
  }

  /** The scope of a type as an SQL expression. Undefined if all rows are visible. */
  scope(type: ResourceType, alias: string): string | undefined {
    const conditions = this.#scopes.get(type) ?? []
    if (conditions.length === 0) return undefined
    if (this.#scoping.has(type)) {
      const names = [...this.#scoping, type].map(({ name }) => `'${name}'`).join(', ')
      throw new Error(`The scopes of ${names} refer to each other in a cycle: they cannot be compiled to a statement.`)
    }
    this.#scoping.add(type)
    const scope = conditions.map((condition) => this.scopeCondition(condition, type, alias)).join(' and ')
    this.#scoping.delete(type)
    return scope
  }

  /** Compiles a condition of the scope of a type, and notes its parameters. */
  scopeCondition(condition: Condition, type: ResourceType, alias: string): string {
    const first = this.parameters.length + 1
    const sql = this.condition(condition, type, alias)
    this.scoped.push({ type, first, last: this.parameters.length })
    return sql
  }

  /** The scope of a type, then the conditions of the query. */
  filters(type: ResourceType, alias: string, conditions: readonly Condition[] = []): string[] {
    const scope = this.scope(type, alias)
    return [...(scope ? [scope] : []), ...conditions.map((condition) => this.condition(condition, type, alias))]
  }

  condition(condition: Condition, rows: RowsOfEntity, alias: string): string {
    return conditionSql(condition, { compiler: this, rows, alias })
  }

  /** Compiles a condition on the pivot rows through which the rows of an alias are reached. */
  pivotCondition(condition: Condition, alias: string): string {
    const pivot = this.pivotOf(alias)
    return this.condition(condition, rowsOf(pivot.meta), pivot.alias)
  }

  pivotOf(alias: string): Pivot {
    return this.#pivots.get(alias) as Pivot
  }

  /** The column of a sort term: of the rows themselves, or of their pivot rows. */
  sortColumn({ property, pivot }: SortTerm, rows: RowsOfEntity, alias: string): string {
    if (!pivot) return this.column(rows, property, alias)
    const { meta, alias: pivotAlias } = this.pivotOf(alias)
    return this.column(rowsOf(meta), property, pivotAlias)
  }

  /** Joins the rows of a relation to their parent: the tables to select from, and the join condition. */
  join(relation: Relation, parent: string, inner: string): { from: string; on: string } {
    const { owner, target, property, kind } = relation
    if (kind === 'belongsTo') {
      const on = `${this.key(target, inner)} = ${this.column(owner, property as string, parent)}`
      return { from: `${this.table(target)} ${inner}`, on }
    }
    const { from, parentKey } = this.relationSource(relation, inner)
    return { from, on: `${parentKey} = ${this.key(owner, parent)}` }
  }

  /** The table of the target, joined to its join table if it has one, and the column with the key of the parent. */
  relationSource({ owner, target, property }: Relation, inner: string): RelationSource {
    const prop = this.property(owner, property as string)
    const table = `${this.table(target)} ${inner}`
    if (prop.kind !== 'm:n') return { from: table, parentKey: this.column(target, prop.mappedBy as string, inner) }
    const { pivotEntity, joinColumns, inverseJoinColumns } = owningSide(prop)
    const columns = [joinColumns[0] as string, inverseJoinColumns[0] as string] as const
    const [parentColumn, memberColumn] = prop.owner ? columns : columns.toReversed()
    const meta = this.unit.orm.getMetadata().get(pivotEntity)
    const pivot: Pivot = { alias: this.alias(), meta, sides: [parentColumn as string, memberColumn as string] }
    this.#pivots.set(inner, pivot)
    const on = `${pivot.alias}.${quoteIdentifier(pivot.sides[1])} = ${this.key(target, inner)}`
    return {
      from: `${tableExpression(meta)} ${pivot.alias} join ${table} on ${on}`,
      parentKey: `${pivot.alias}.${quoteIdentifier(pivot.sides[0])}`,
      pivot,
    }
  }
}

/** The rows of an entity: a resource type, or rows that are no resources, such as those of a join table. */
export type RowsOfEntity = Pick<ResourceType, 'entity'>

export function rowsOf({ class: entity }: EntityMetadata): RowsOfEntity {
  return { entity: entity as EntityClass<object> }
}

/** How to select the rows of a relation by the keys of its parents. */
interface RelationSource {
  readonly from: string
  readonly parentKey: string
  readonly pivot?: Pivot
}

/** The join table of a many-to-many in a statement. */
export interface Pivot {
  readonly alias: string
  readonly meta: EntityMetadata
  /** The columns with the key of the parent and of the member. */
  readonly sides: readonly [parent: string, member: string]
}

export function metaOf({ entity }: RowsOfEntity, orm: Orm): EntityMetadata {
  return orm.getMetadata().get(entity)
}

/** The properties of the primary key. A view without one is identified by `id`. */
export function listKeys({ primaryKeys }: EntityMetadata): readonly string[] {
  return primaryKeys.length > 0 ? primaryKeys : ['id']
}

export function propertyOf({ properties }: EntityMetadata, name: string): EntityProperty {
  return properties[name as never] as EntityProperty
}

/** The side of a many-to-many that maps the join table. */
export function owningSide(property: EntityProperty): EntityProperty {
  return property.owner ? property : propertyOf(property.targetMeta as EntityMetadata, property.mappedBy as string)
}

const first = (keys: readonly unknown[]) => keys[0]
const itself = (keys: readonly unknown[]) => keys

/** Whether an entity shares its table with others, from which a discriminator distinguishes it (single table inheritance). */
export function hasDiscriminator(meta: EntityMetadata): boolean {
  return meta.root.inheritanceType === 'sti' && meta !== meta.root
}

/** The discriminator values of an entity and of those that extend it. */
export function discriminatorValues({ class: ancestor, root }: EntityMetadata, orm: Orm): string[] {
  const metadata = orm.getMetadata()
  const extendsAncestor = (entity: EntityName): boolean => {
    const { class: own, extends: parent } = metadata.get(entity)
    return own === ancestor || (parent !== undefined && extendsAncestor(parent))
  }
  const entities = Object.entries(root.discriminatorMap ?? {})
  return entities.filter(([, entity]) => extendsAncestor(entity)).map(([value]) => value)
}

/** The table of an entity; with joined inheritance a subselect that joins it with the tables of its parents. */
export function tableExpression(meta: EntityMetadata): string {
  return meta.tptParent ? joinedTables(meta) : quotedTableName(meta)
}

/** The quoted name of a table, with its schema unless that is the default one. */
export function quotedTableName({ schema, tableName }: EntityMetadata): string {
  return [schema, tableName].flatMap((name) => (name && name !== '*' ? quoteIdentifier(name) : [])).join('.')
}

/** The column `xmin` of the subselect holds the versions of all its tables. */
function joinedTables(meta: EntityMetadata): string {
  const parents: EntityMetadata[] = []
  for (let parent = meta.tptParent; parent; parent = parent.tptParent) parents.push(parent)
  const inherited = parents.flatMap(({ ownProps = [] }, index) =>
    ownProps
      .filter((property) => !property.primary && property.persist !== false && !isInlined(property))
      .flatMap(({ fieldNames = [] }) => fieldNames.map((name) => `p${index}.${quoteIdentifier(name)}`)),
  )
  const versions = ['c', ...parents.map((_, index) => `p${index}`)].map((alias) => `${alias}.xmin::text`)
  const columns = ['c.*', ...inherited, `${versions.join(" || '.' || ")} as xmin`]
  const joins = parents.map((parent, index) => ` join ${quotedTableName(parent)} p${index} using (${keyColumns(meta)})`)
  return `(select ${columns.join(', ')} from ${quotedTableName(meta)} c${joins.join('')})`
}

function keyColumns(meta: EntityMetadata): string {
  return meta.primaryKeys.flatMap((key) => propertyOf(meta, key).fieldNames.map(quoteIdentifier)).join(', ')
}
