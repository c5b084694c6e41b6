import type { EntityClass, EntityMetadata, EntityProperty, Platform } from '@mikro-orm/core'
import { type Condition, isIn, type Relation, type ResourceType, type SortTerm } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import type { StoreUnit } from '../unit.ts'
import { conditionSql } from './condition-sql.ts'
import type { Scopes } from './scopes.ts'
import type { ParameterSource } from './statement-cache.ts'

/** Collects the parameters of one statement while its text is written. Values are always bound. */
export class Compiler {
  readonly parameters: unknown[] = []
  /** The source of each parameter. Undefined for a value that is not read from a source of the statement key. */
  readonly sources: (ParameterSource | undefined)[] = []
  /** True if the text depends on more than the statement key, so that it cannot be cached. */
  isUnique = false
  readonly unit: StoreUnit
  readonly #scopes: Scopes
  readonly #keySources: readonly object[]
  readonly #pivots = new Map<string, Pivot>()
  /** Types whose scope is being compiled. */
  readonly #scoping = new Set<ResourceType>()
  #aliases = 0

  constructor(unit: StoreUnit, scopes: Scopes, keySources: readonly object[] = []) {
    this.unit = unit
    this.#scopes = scopes
    this.#keySources = keySources
  }

  bind(value: unknown, cast?: string): string {
    this.parameters.push(value)
    return cast ? `$${this.parameters.length}::${cast}` : `$${this.parameters.length}`
  }

  /** Binds a value that is read from a source of the statement key, so that the cached text can be used with others. */
  bindFrom<Source extends object>(source: Source, read: (source: Source) => unknown, cast?: string): string {
    const index = this.#keySources.indexOf(source)
    this.sources[this.parameters.length] = index < 0 ? undefined : { index, read }
    return this.bind(read(source), cast)
  }

  /** Whether a column holds one of the keys. PostgreSQL plans `any` for ten keys, so a single key is compared with `=`. */
  isOneOf(column: string, keys: readonly unknown[]): string {
    return keys.length === 1
      ? `${column} = ${this.bindFrom(keys, first)}`
      : `${column} = any(${this.bindFrom(keys, itself)})`
  }

  alias(): string {
    return `t${this.#aliases++}`
  }

  get platform(): Platform {
    return this.unit.orm.em.getPlatform()
  }

  meta(type: ResourceType): EntityMetadata {
    return metaOf(type, this.unit.orm)
  }

  table(type: ResourceType): string {
    return tableOf(this.meta(type))
  }

  property(type: ResourceType, name: string): EntityProperty {
    return this.meta(type).properties[name as never] as EntityProperty
  }

  column(type: ResourceType, property: string, alias: string): string {
    return `${alias}.${quote(this.property(type, property).fieldNames[0] as string)}`
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
      throw new Error(`The scopes of ${names} ask for each other: no statement can follow them.`)
    }
    this.#scoping.add(type)
    const scope = conditions.map((condition) => this.condition(condition, type, alias)).join(' and ')
    this.#scoping.delete(type)
    return scope
  }

  condition(condition: Condition, type: ResourceType, alias: string): string {
    return conditionSql(condition, { compiler: this, type, alias })
  }

  isAnyOf(type: ResourceType, property: string, values: readonly unknown[], alias: string): string {
    return this.condition(isIn(property, values), type, alias)
  }

  /** Pivot rows are compiled like the rows of any entity. */
  pivotCondition(condition: Condition, { meta, alias }: Pivot): string {
    return this.condition(condition, rowsOf(meta), alias)
  }

  /** The pivot rows through which the rows of an alias are reached. */
  pivotOf(alias: string): Pivot {
    return this.#pivots.get(alias) as Pivot
  }

  /** The column of a sort term: of the rows themselves, or of their pivot rows. */
  ordered({ property, pivot }: SortTerm, type: ResourceType, alias: string): string {
    if (!pivot) return this.column(type, property, alias)
    const { meta, alias: rows } = this.pivotOf(alias)
    return this.column(rowsOf(meta), property, rows)
  }

  /** Joins the rows of a relation to their parent: the tables to select from, and the join condition. */
  join(relation: Relation, parent: string, inner: string): { from: string; on: string } {
    const { owner, target, property, kind } = relation
    if (kind === 'belongsTo') {
      const on = `${this.key(target, inner)} = ${this.column(owner, property as string, parent)}`
      return { from: `${this.table(target)} ${inner}`, on }
    }
    const { from, parentKey } = this.link(relation, inner)
    return { from, on: `${parentKey} = ${this.key(owner, parent)}` }
  }

  /** The table of the target, joined to its pivot table if it has one, and the column with the key of the parent. */
  link({ owner, target, property }: Relation, inner: string): Link {
    const prop = this.property(owner, property as string)
    const table = `${this.table(target)} ${inner}`
    if (prop.kind !== 'm:n') return { from: table, parentKey: this.column(target, prop.mappedBy as string, inner) }
    const pivot = this.alias()
    const owning = prop.owner ? prop : (prop.targetMeta?.properties[prop.mappedBy as never] as EntityProperty)
    const [mine, theirs] = prop.owner
      ? [owning.joinColumns[0], owning.inverseJoinColumns[0]]
      : [owning.inverseJoinColumns[0], owning.joinColumns[0]]
    const on = `${pivot}.${quote(theirs as string)} = ${this.key(target, inner)}`
    const meta = this.unit.orm.getMetadata().get(owning.pivotEntity)
    const rows: Pivot = { alias: pivot, meta, sides: [mine as string, theirs as string] }
    this.#pivots.set(inner, rows)
    return {
      from: `${tableOf(meta)} ${pivot} join ${table} on ${on}`,
      parentKey: `${pivot}.${quote(mine as string)}`,
      pivot: rows,
    }
  }
}

/** Stands for a resource type where only the columns of an entity are needed. */
export function rowsOf({ class: entity }: EntityMetadata): ResourceType {
  return { entity: entity as EntityClass<object> } as ResourceType
}

/** How to select the rows of a relation by the keys of its parents. */
export interface Link {
  readonly from: string
  readonly parentKey: string
  /** The pivot rows of a many-to-many. */
  readonly pivot?: Pivot
}

export interface Pivot {
  readonly alias: string
  readonly meta: EntityMetadata
  /** The columns with the key of the parent and of the member. */
  readonly sides: readonly [parent: string, member: string]
}

export function metaOf({ entity }: Pick<ResourceType, 'entity'>, orm: Orm): EntityMetadata {
  return orm.getMetadata().get(entity)
}

const first = (keys: readonly unknown[]) => keys[0]
const itself = (keys: readonly unknown[]) => keys

export function tableOf({ schema, tableName }: EntityMetadata): string {
  return schema ? `${quote(schema)}.${quote(tableName)}` : quote(tableName)
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
