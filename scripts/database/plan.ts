import { inverseName } from '../make/names.ts'
import { checkRule, findChecks, findUniqueConstraint, namesInfinity, unmappedChecks } from './checks.ts'
import { mapColumn } from './columns.ts'
import type { CatalogColumn, CatalogConstraint, CatalogEnum, CatalogRelation, DatabaseCatalog } from './introspect.ts'
import { chooseKey, type Key, listLeaves, sharedBy } from './keys.ts'
import {
  isMappable,
  isMappableTable,
  listName,
  PropertyNamer,
  relationWords,
  type TypeNamer,
  toPlural,
  toWords,
} from './names.ts'
import type { AttributePlan, DatabasePlan, JoinPlan, JoinSide, Remark, TypePlan } from './plan-types.ts'
import { findSecrets, type Secrets } from './secrets.ts'
import { defaultingTrigger, fillingTrigger } from './triggers.ts'

interface PlanOptions {
  readonly namer: TypeNamer
  /** The tables and views to map. */
  readonly names: ReadonlySet<string>
  /** The tables and views that the command names; empty for all. */
  readonly named: ReadonlySet<string>
  /** Columns that identify a row of a view or of a partitioned table. */
  readonly rowKeys: ReadonlyMap<string, readonly string[]>
  /** Why the rows of a view cannot be read. */
  readonly unreadable: ReadonlyMap<string, string>
  /** Types of the project by table. */
  readonly existing: ReadonlyMap<string, TypePlan>
}

const noViewKey = 'no column identifies a row: neither a unique index nor its query, and not two rows or more, show one'
const unmappable = 'a name begins with a digit, which MikroORM cannot map'

/** Plans a type for every table and view with a key, and relations for its foreign keys. */
export function planDatabase(catalog: DatabaseCatalog, options: PlanOptions): DatabasePlan {
  const { namer, names, existing } = options
  const remarks: Remark[] = []
  const secrets = findSecrets(catalog.relations)
  const wanted = catalog.relations.filter(({ name, partition }) => names.has(name) && !partition)
  const selected = wanted.filter((relation) => {
    const fault = mappingFault(relation, options, secrets)
    if (fault) remarks.push({ member: relation.name, text: `Not mapped: ${fault}` })
    return fault === null
  })
  const types = new Map<string, TypePlan>()
  const later: CatalogRelation[] = []
  for (const relation of selected) {
    if (isJoinTable(relation, selected, existing)) later.push(relation)
    else addType(relation, types, options, remarks)
  }
  for (const relation of later) addType(relation, types, options, remarks, existing)
  const joins = later.filter(({ name }) => !types.has(name))
  const all = new Map([...existing, ...types])
  remarks.push(...inheritanceRemarks(types, catalog.relations))
  for (const type of types.values()) addFields(type, all, catalog, { secrets, remarks })
  for (const type of types.values()) addInverses(type)
  for (const relation of joins) addJoin(relation, all, namer, { enums: catalog.enums, secrets, remarks })
  for (const type of all.values()) remarks.push(...renamed(type))
  const functions = catalog.functions.filter(({ isInternal }) => !isInternal).map(({ signature }) => signature)
  return { types: [...types.values()], existing: [...existing.values()], remarks, functions }
}

/** Why a table or view gets no type; null if it may get one. */
function mappingFault(
  relation: CatalogRelation,
  { named, rowKeys, unreadable }: PlanOptions,
  secrets: Secrets,
): string | null {
  const { name, kind, isPopulated, readsOtherSchema } = relation
  if (!isMappableTable(name)) return 'MikroORM cannot map a name with a dot or a quotation mark'
  if (readsOtherSchema) return 'it reads tables of another schema'
  if (!isPopulated) return `the ${kind} has no data yet: refresh materialized view ${name}, then run the command again`
  const fault = unreadable.get(name)
  if (fault) return `its rows cannot be read: ${fault}`
  const key = chooseKey(relation, rowKeys.get(name))
  if (!key) return kind === 'table' ? 'it has no primary key and no unique columns' : noViewKey
  const composite = relation.columns.find(({ name, typeKind }) => typeKind === 'c' && key.columns.includes(name))
  if (composite) return `its key ${composite.name} is composite`
  const secret = key.columns.find((column) => secrets.has(`${name}.${column}`))
  if (secret && !named.has(name))
    return `ids are shown, and its key ${secret} is hidden: ${secrets.get(`${name}.${secret}`)}; name the table to map it`
  return null
}

function addType(
  relation: CatalogRelation,
  types: Map<string, TypePlan>,
  { namer, rowKeys }: PlanOptions,
  remarks: Remark[],
  joined?: ReadonlyMap<string, TypePlan>,
): void {
  const isJoined = ({ target, targetColumns }: CatalogConstraint) => {
    const key = (types.get(target ?? '') ?? joined?.get(target ?? ''))?.key.column
    return key?.name === targetColumns.join()
  }
  if (joined && listForeignKeys(relation).every(isJoined)) return
  const key = chooseKey(relation, rowKeys.get(relation.name)) as Key
  const names = namer.namesOf(relation.name)
  const reason = readOnlyReason(relation, key)
  if (reason) remarks.push({ member: relation.name, text: `Read-only: ${reason}` })
  const isReadOnly = reason !== null
  const plan = { relation, names, key, isReadOnly, declared: null, lists: new Map(), namer: new PropertyNamer(names) }
  types.set(relation.name, { ...plan, attributes: [], toOnes: [], toManys: [], joins: [] })
}

/** Rows of child tables are also rows of the parent. */
function inheritanceRemarks(types: ReadonlyMap<string, TypePlan>, relations: readonly CatalogRelation[]): Remark[] {
  return relations.flatMap(({ name, parents }) => [
    ...(parents.length > 0
      ? [{ member: name, text: `The baseline creates it without inherits (${parents.join(', ')})` }]
      : []),
    ...parents
      .filter((parent) => types.has(parent))
      .map((parent) => ({
        member: parent,
        text: `Also shows the rows of ${name}, which inherits from it; no constraint keeps an id unique in both`,
      })),
  ])
}

function readOnlyReason(
  { kind, columns: all, partitionKey, constraints, rules }: CatalogRelation,
  { columns, column }: Key,
): string | null {
  if (kind !== 'table') return `it is a ${kind}; ${columns.join(', ')} is the id, which is unique in its rows now`
  if (partitionKey !== null) {
    const isPrimary = constraints.some((one) => one.kind === 'primary key' && one.columns.join() === columns.join())
    const doubt = isPrimary ? '' : ', which no constraint over all partitions keeps unique'
    return `it is partitioned; ${columns.join(', ')} is the id${doubt}`
  }
  if (!column) return `its key is ${columns.join(', ')}; ids join these values with dots`
  const rule = rules.find(({ isInstead }) => isInstead)
  if (rule) return `the rule ${rule.name} replaces writes`
  const left = all.find(({ name }) => !isMappable(name))
  if (left) return `the column ${left.name} has no property`
  const inherited = all.find(({ name }) => name in {})
  return inherited ? `MikroORM cannot compare ${inherited.name}, which every object of JavaScript has` : null
}

/**
 * Whether the primary key is two foreign keys, and the first refers to a table of this run: MikroORM puts the columns of the
 * owner first, and only the entity.ts of a new type can contain the join table.
 */
function isJoinTable(
  relation: CatalogRelation,
  selected: readonly CatalogRelation[],
  existing: ReadonlyMap<string, TypePlan>,
): boolean {
  const [key] = relation.constraints
  const keys = listForeignKeys(relation)
  if (relation.kind !== 'table' || key?.kind !== 'primary key' || keys.length !== 2) return false
  if (relation.rules.some(({ isInstead }) => isInstead)) return false
  const sides = key.columns.map((column) => keys.find(({ columns }) => columns.join() === column)?.target ?? '')
  const isSelected = (table: string) => selected.some(({ name }) => name === table)
  const [owner = '', member = '', ...others] = sides
  return (
    others.length === 0 &&
    isSelected(owner) &&
    (isSelected(member) || existing.has(member)) &&
    [relation.name, owner, member, ...relation.columns.map(({ name }) => name)].every(isMappable)
  )
}

function listForeignKeys({ constraints }: CatalogRelation): CatalogConstraint[] {
  return constraints.filter(({ kind }) => kind === 'foreign key')
}

function addFields(
  type: TypePlan,
  types: ReadonlyMap<string, TypePlan>,
  { enums, relations }: DatabaseCatalog,
  { secrets, remarks }: Pick<FieldContext, 'secrets' | 'remarks'>,
): void {
  const { relation, key, namer, names } = type
  const mapped = new Map<string, CatalogConstraint>()
  for (const constraint of [...listForeignKeys(relation), ...partitionKeys(relation, relations, remarks)]) {
    const fault = foreignKeyFault(constraint, relation, types, mapped)
    if (fault) remarks.push({ member: `${names.table}.${constraint.name}`, text: `Not a relation: ${fault}` })
    else mapped.set(constraint.columns[0] as string, constraint)
  }
  for (const column of relation.columns) {
    if (!isMappable(column.name)) {
      remarks.push({ member: `${names.table}.${column.name}`, text: `Not an attribute: ${unmappable}` })
      continue
    }
    const constraint = mapped.get(column.name)
    if (constraint) {
      const target = types.get(constraint.target as string) as TypePlan
      const property = namer.name(relationWords(column.name, target.names.table))
      const isKey = key.column?.name === column.name
      const isUnique = isKey || findUniqueConstraint(relation, column) !== undefined
      const filled = type.isReadOnly ? noTriggers : remarkTriggers(column, relation, remarks)
      type.toOnes.push({ property, constraint, column, target, isKey, isUnique, ...filled })
    }
    if (!constraint && key.column?.name !== column.name) {
      type.attributes.push(planAttribute(column, relation, { namer, lists: type.lists, enums, secrets, remarks }))
    }
  }
  if (!type.isReadOnly) remarks.push(...unmappedChecks(relation, type.attributes))
}

function foreignKeyFault(
  { columns, target, targetColumns }: CatalogConstraint,
  { name }: CatalogRelation,
  types: ReadonlyMap<string, TypePlan>,
  mapped: ReadonlyMap<string, unknown>,
): string | null {
  const [column] = columns
  if (target === null) return 'it refers to another schema'
  if (column === undefined || columns.length > 1) return `it has several columns (${columns.join(', ')})`
  if (![name, target, column].every(isMappable)) return unmappable
  const key = types.get(target)?.key.column
  if (!key) return `${target} is not a type with a key of one column`
  if (targetColumns.join() !== key.name) return `it refers to ${target}.${targetColumns.join()}, which is not the key`
  return mapped.has(column) ? 'another foreign key has the same column' : null
}

/** The foreign keys that all partitions have. Those of some partitions are reported. */
function partitionKeys(
  relation: CatalogRelation,
  relations: readonly CatalogRelation[],
  remarks: Remark[],
): CatalogConstraint[] {
  const leaves = listLeaves(relation, relations)
  const shared = sharedBy(leaves).filter(({ kind }) => kind === 'foreign key')
  const isShared = ({ columns }: CatalogConstraint) => shared.some((other) => other.columns.join() === columns.join())
  for (const leaf of leaves) {
    for (const { name } of listForeignKeys(leaf).filter((constraint) => !isShared(constraint))) {
      remarks.push({ member: `${leaf.name}.${name}`, text: 'Not a relation: not every partition has the foreign key' })
    }
  }
  return shared
}

/** Returns the names of the triggers that fill a column of a table, always or if it is absent, and adds a remark on them. */
function remarkTriggers(
  { name }: CatalogColumn,
  relation: CatalogRelation,
  remarks: Remark[],
): Pick<AttributePlan, 'filledBy' | 'defaultedBy'> {
  const filledBy = fillingTrigger(relation, name)?.name ?? null
  const defaultedBy = filledBy ? null : (defaultingTrigger(relation, name)?.name ?? null)
  const member = `${relation.name}.${name}`
  if (filledBy) remarks.push({ member, text: `Read-only: the trigger ${filledBy} fills it` })
  if (defaultedBy) remarks.push({ member, text: `Not required: the trigger ${defaultedBy} fills it if it is absent` })
  return { filledBy, defaultedBy }
}

const noTriggers = { filledBy: null, defaultedBy: null }

interface FieldContext {
  readonly namer: PropertyNamer
  readonly lists: TypePlan['lists']
  readonly enums: readonly CatalogEnum[]
  readonly secrets: Secrets
  readonly remarks: Remark[]
}

function planAttribute(
  column: CatalogColumn,
  relation: CatalogRelation,
  { namer, lists, enums, secrets, remarks }: FieldContext,
): AttributePlan {
  const values = enums.find(({ name }) => column.typeKind === 'e' && name === column.typeName)?.values
  if (values && !lists.has(column.typeName)) {
    const taken = [...lists.values()].map(({ name }) => name)
    lists.set(column.typeName, { name: listName(column.typeName, taken), values })
  }
  const list = values && lists.get(column.typeName)
  const mapping = mapColumn(column, list?.name ?? null)
  const member = `${relation.name}.${column.name}`
  const filled = relation.kind === 'table' ? remarkTriggers(column, relation, remarks) : noTriggers
  const reason = mapping.builder === null ? undefined : secrets.get(member)
  if (mapping.remark && !filled.filledBy && !reason) remarks.push({ member, text: mapping.remark })
  if (reason) remarks.push({ member, text: `Neither shown nor accepted (hidden): ${reason}` })
  const property = namer.name(column.name)
  const rules = findChecks(relation, column).map(
    (check) => checkRule(check, { property, column, builder: mapping.builder }) ?? '',
  )
  return {
    property,
    column,
    mapping,
    isInfinite: namesInfinity(relation, column),
    rules: `${mapping.rules}${rules.join('')}`,
    isSecret: reason !== undefined,
    ...filled,
  }
}

function renamed({ names, namer }: TypePlan): Remark[] {
  return namer.renamed.map(({ words, name, taken }) => ({
    member: `${names.table}.${words}`,
    text: `Named ${name}: another property is named ${taken}`,
  }))
}

function addInverses(type: TypePlan): void {
  for (const { property, target, isUnique } of type.toOnes) {
    const isOnly = type.toOnes.filter((other) => other.target === target).length === 1
    const rows = isUnique ? type.names.one : type.names.many
    const words = inverseName({ property, rows, isOnly, isSelf: target === type, isOne: isUnique })
    const inverse = { target: type, mappedBy: property, join: null, isOne: isUnique }
    target.toManys.push({ property: target.namer.name(words), ...inverse })
  }
}

function addJoin(
  relation: CatalogRelation,
  types: ReadonlyMap<string, TypePlan>,
  typeNamer: TypeNamer,
  { enums, secrets, remarks }: Pick<FieldContext, 'enums' | 'secrets' | 'remarks'>,
): void {
  const entity = typeNamer.entity(toWords(relation.name) || 'join')
  const namer = new PropertyNamer({ one: entity.charAt(0).toLowerCase() + entity.slice(1) })
  const sides = (relation.constraints[0]?.columns ?? []).map((name): JoinSide => {
    const constraint = listForeignKeys(relation).find(({ columns }) => columns[0] === name) as CatalogConstraint
    const column = relation.columns.find((other) => other.name === name) as CatalogColumn
    const target = types.get(constraint.target ?? '') as TypePlan
    return { property: namer.name(relationWords(name, target.names.table)), constraint, column, target }
  })
  const [left, right] = sides as [JoinSide, JoinSide]
  const { lists } = left.target
  const others = relation.columns.filter((column) => !sides.some((side) => side.column === column))
  const attributes = others.map((column) => planAttribute(column, relation, { namer, lists, enums, secrets, remarks }))
  remarks.push(...unmappedChecks(relation, attributes))
  const join: JoinPlan = { relation, entity, sides: [left, right], attributes }
  left.target.joins.push(join)
  const property = membersName(left, right)
  left.target.toManys.push({ property, target: right.target, mappedBy: null, join, isOne: false })
  const inverse = membersName(right, left)
  right.target.toManys.push({ property: inverse, target: left.target, mappedBy: property, join, isOne: false })
}

/** The plural of the type, or of the column if the name is taken or both sides are the same type. */
function membersName({ target: owner }: JoinSide, { target, property }: JoinSide): string {
  const isPlain = target !== owner && owner.namer.isFree(target.names.many)
  return owner.namer.name(isPlain ? target.names.many : toPlural(toWords(property)))
}
