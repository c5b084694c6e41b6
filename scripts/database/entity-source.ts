import { UnderscoreNamingStrategy } from '@mikro-orm/core'
import { importing } from '../make/sources.ts'
import { findUniqueConstraint } from './checks.ts'
import { characterSource, quoted } from './columns.ts'
import type { CatalogColumn, CatalogConstraint, CatalogRelation } from './introspect.ts'
import { keyExpression } from './keys.ts'
import type { AttributePlan, JoinPlan, ToManyPlan, ToOnePlan, TypePlan } from './plan-types.ts'

/** Generates entity.ts; Biome formats it and sorts its imports. */
export function entitySource(type: TypePlan): string {
  const { names, relation, joins } = type
  const text = `
${[...type.lists.values()].map(({ name, values }) => `export const ${name} = [${values.map(quoted).join(', ')}] as const`).join('\n')}

const schema = defineEntity({
  name: '${names.entity}',
  tableName: ${quoted(relation.name)},
  ${type.isReadOnly ? viewOptions(type) : constraintsSource(withoutRelations(type), columnProperties(type))}
  properties: {
    ${[keyProperty(type), ...type.attributes.flatMap((attribute) => attributeProperty(attribute, type)), ...type.toOnes.map((toOne) => toOneProperty(toOne, type)), ...type.toManys.map(toManyProperty)].join('\n')}
  },
})

export class ${names.entity} extends schema.class {}

schema.setClass(${names.entity})
${joins.map(joinSource).join('\n')}`
  const json = /\bJson\b/.test(text) ? '\ntype Json = Record<string, unknown>\n' : ''
  const core = ['defineEntity', ...(/\bEntityName\b/.test(text) ? ['type EntityName'] : []), 'p']
  return `${importing(core.join(', '), '@mikro-orm/core')}\n${entityImports(type)}\n${json}${text}`
}

/** Entities of views, and of tables whose key is made of several columns, are read only. */
function viewOptions({ relation }: TypePlan): string {
  return `view: true,\n  expression: ${quoted(`select * from ${sqlName(relation.name)}`)},`
}

function entityImports({ names, toOnes, toManys, joins }: TypePlan): string {
  const targets = [...toOnes, ...toManys, ...joins.flatMap(({ sides }) => sides)].map(({ target }) => target)
  const others = targets.filter((target) => target.names.type !== names.type)
  const lines = others.map((target) => importing(target.names.entity, entityModule(target)))
  return [...new Set(lines)].join('\n')
}

/** The module that exports the entity. */
export function entityModule({ names, declared }: TypePlan): string {
  return declared?.module ?? `#resources/${names.type}/entity.ts`
}

function keyProperty({ key, relation, toOnes, attributes }: TypePlan): string {
  const { column, columns } = key
  if (column) {
    const builder = column.typeName === 'int8' ? `bigint('string')` : keyBuilder(column)
    return `id: p.${builder}.primary()${fieldNameSource('id', column.name)}${collationSource(column)}${keyDefault(column)},`
  }
  const parts = columns.map((name) => {
    const found = relation.columns.find((other) => other.name === name) as CatalogColumn
    const owner = [...toOnes, ...attributes].find((field) => field.column.name === name)
    return { typeName: found.typeName, sql: `\${columns.${owner?.property}}` }
  })
  return `id: p.text().primary().formula((columns) => \`${keyExpression(parts)}\`),`
}

function keyBuilder({ typeName, length }: CatalogColumn): string {
  const builders: Record<string, string> = { int2: 'smallint()', int4: 'integer()', uuid: 'uuid()', text: 'text()' }
  if (typeName === 'bpchar') return characterSource(length)
  return builders[typeName] ?? (length ? `string().length(${length})` : `string().columnType('varchar')`)
}

function keyDefault(column: CatalogColumn): string {
  if (column.identity) return identitySource(column)
  if (isNumbered(column)) return '.autoincrement()'
  if (column.default) return `.defaultRaw(${quoted(withoutCast(column.default))})`
  return /^int/.test(column.typeName) ? '.autoincrement(false)' : ''
}

function identitySource({ identity }: CatalogColumn): string {
  return `.generated('${identity === 'always' ? 'identity' : 'by default as identity'}')`
}

/** A view entity contains only the columns that documents show, and those of its id. */
function attributeProperty({ property, column, mapping }: AttributePlan, type?: TypePlan): string[] {
  const isView = type?.isReadOnly === true
  if (isView && mapping.builder === null && !type.key.columns.includes(column.name)) return []
  const value = isView ? '' : collationSource(column) + valueSource(column)
  const nullable = column.isRequired ? '' : '.nullable()'
  return [`${property}: p.${mapping.property}${fieldNameSource(property, column.name)}${value}${nullable},`]
}

function collationSource({ collation }: CatalogColumn): string {
  return collation ? `.collation(${quoted(collation)})` : ''
}

/** The value that the database gives the column: a generated one, a number or a default. */
function valueSource(column: CatalogColumn): string {
  if (column.generated) return `.generated(${quoted(`(${column.generated}) stored`)})`
  if (column.identity) return `.autoincrement()${identitySource(column)}` // as MikroORM reads it from the database
  if (isNumbered(column)) return '.autoincrement()'
  return column.default ? `.defaultRaw(${quoted(withoutCast(column.default))})` : ''
}

const numberTypes = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'])

/** Whether a sequence numbers the rows. */
function isNumbered({ default: value, typeName }: CatalogColumn): boolean {
  return value?.startsWith('nextval(') === true && numberTypes.has(typeName)
}

/** `'draft'::order_status` → `'draft'`, `'-5'::integer` → `-5` */
function withoutCast(expression: string): string {
  if (/[\r\n]/.test(expression)) return expression // as MikroORM reads it
  const [, text, number, type] = /^('((?:[^']|'')*)')::([\w". ]+)(?:\(\d+\))?$/.exec(expression) ?? []
  return (type === 'integer' ? number : text) ?? expression
}

function toOneProperty({ property, constraint, column, target, isKey, isUnique }: ToOnePlan, type: TypePlan): string {
  const unique = uniqueOfRelation({ column, constraint }, type.relation)
  const builder = isUnique
    ? `oneToOne(${target.names.entity}).ref().owner().unique(${unique ? quoted(unique.name) : 'false'})`
    : `manyToOne(${target.names.entity}).ref()`
  const value = isKey ? '.persist(false)' : type.isReadOnly ? '' : valueSource(column)
  return `${property}: () => p.${builder}${foreignKey(constraint, column, target)}${value}${column.isRequired ? '' : '.nullable()'},`
}

const rules: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
}

function foreignKey(constraint: CatalogConstraint, column: CatalogColumn, target: TypePlan): string {
  const { name, onDelete, onUpdate, deferMode } = constraint
  const defer = deferMode ? `.deferMode('${deferMode}')` : ''
  const type = column.baseType === target.key.column?.baseType ? '' : `.columnType(${quoted(column.baseType)})`
  const onDeletion = `.deleteRule('${rules[onDelete]}').updateRule('${rules[onUpdate]}')`
  return `.joinColumn(${quoted(column.name)})${type}${collationSource(column)}${onDeletion}.foreignKeyName(${quoted(name)})${defer}`
}

/** Generates the property of an inverse relation, or of a side of a join table. */
export function toManyProperty({ property, target, mappedBy, join, isOne }: ToManyPlan): string {
  const { entity } = target.names
  if (isOne) return `${property}: () => p.oneToOne(${entity}).mappedBy('${mappedBy}').ref().nullable(),`
  if (!join) return `${property}: () => p.oneToMany(${entity}).mappedBy('${mappedBy}'),`
  if (mappedBy) return `${property}: () => p.manyToMany(${entity}).mappedBy('${mappedBy}'),`
  return `${property}: () => p.manyToMany(${entity}).owner().pivotEntity((): EntityName => ${join.entity}),`
}

function joinSource(join: JoinPlan): string {
  const { entity, relation, sides, attributes } = join
  const schema = `${entity.charAt(0).toLowerCase()}${entity.slice(1)}Schema`
  const properties = new Map([...sides, ...attributes].map(({ column, property }) => [column.name, property]))
  const keys = sides.map(
    ({ property, constraint, column, target }) =>
      `${property}: () => p.manyToOne(${target.names.entity}).ref().primary()${foreignKey(constraint, column, target)}${valueSource(column)},`,
  )
  return `
/** A row of the join table. */
const ${schema} = defineEntity({
  name: '${entity}',
  tableName: ${quoted(relation.name)},
  ${constraintsSource(relation, properties)}
  properties: {
    ${[...keys, ...attributes.flatMap((attribute) => attributeProperty(attribute))].join('\n')}
  },
})

export class ${entity} extends ${schema}.class {}

${schema}.setClass(${entity})
`
}

function columnProperties({ key, toOnes, attributes }: TypePlan): Map<string, string> {
  const fields = [...attributes, ...toOnes.filter(({ isKey }) => !isKey)]
  const found = fields.map(({ column, property }): [string, string] => [column.name, property])
  return new Map([...found, ...(key.column ? [[key.column.name, 'id'] as const] : [])])
}

/** The table without the unique constraints that `oneToOne` declares. */
function withoutRelations({ relation, toOnes }: TypePlan): CatalogRelation {
  const declared = toOnes.map((toOne) => uniqueOfRelation(toOne, relation))
  return { ...relation, constraints: relation.constraints.filter((constraint) => !declared.includes(constraint)) }
}

/** The unique constraint that `oneToOne` declares: MikroORM gives it the deferral of the foreign key. */
function uniqueOfRelation(
  { column, constraint }: Pick<ToOnePlan, 'column' | 'constraint'>,
  relation: CatalogRelation,
): CatalogConstraint | undefined {
  const unique = findUniqueConstraint(relation, column)
  return unique?.deferMode === constraint.deferMode && unique.included.length === 0 ? unique : undefined
}

/** Indexes, unique constraints and checks under their names in the database. */
function constraintsSource({ indexes, constraints }: CatalogRelation, properties: ReadonlyMap<string, string>): string {
  const list = (columns: readonly string[]) => columns.map((name) => `'${properties.get(name)}'`).join(', ')
  const plain = indexes.filter(({ isPlain, isUnique }) => isPlain && !isUnique)
  const others = indexes.filter((index) => !plain.includes(index))
  const indexed = [
    ...plain.map(({ name, columns }) => `{ name: ${quoted(name)}, properties: [${list(columns)}] }`),
    ...others.map(({ name, definition }) => `{ name: ${quoted(name)}, expression: ${quoted(definition)} }`),
  ]
  const uniques = constraints
    .filter(({ kind }) => kind === 'unique')
    .map(({ name, columns, included, deferMode }) => {
      const include = included.length > 0 ? `, include: [${list(included)}]` : ''
      const defer = deferMode ? `, deferMode: '${deferMode}'` : ''
      return `{ name: ${quoted(name)}, properties: [${list(columns)}]${include}${defer} }`
    })
  const checks = constraints
    .filter(({ kind }) => kind === 'check')
    .map(({ name, definition }) => {
      const expression = /^CHECK \((.*)\)(?: NOT VALID)?$/s.exec(definition)?.[1] ?? definition
      return `{ name: ${quoted(name)}, expression: ${quoted(expression)} }`
    })
  const options = { indexes: indexed, uniques, checks }
  return Object.entries(options)
    .map(([name, entries]) => (entries.length > 0 ? `${name}: [${entries.join(', ')}],` : ''))
    .join('\n')
}

const naming = new UnderscoreNamingStrategy()

/** The column, if MikroORM would not derive it from the property. */
function fieldNameSource(property: string, column: string): string {
  return naming.propertyToColumnName(property) === column ? '' : `.fieldName(${quoted(column)})`
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
