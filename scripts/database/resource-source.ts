import { importing } from '../make/sources.ts'
import { filtersSource, isComparable, isFilterable, isIndexed } from './filter-source.ts'
import type { AttributePlan, JoinPlan, ToManyPlan, ToOnePlan, TypePlan } from './plan-types.ts'

/** Generates resource.ts. With `hasExpressions`, the plugin filter-expressions is listed: indexed columns are filterable. */
export function resourceSource(type: TypePlan, hasPolicy: boolean, hasExpressions = false): string {
  const { names, attributes, toOnes, toManys, lists, joins } = type
  const filterable = hasExpressions ? '.filterable()' : ''
  const fields = [
    idField(type),
    ...attributes.flatMap((attribute) =>
      attributeField(attribute, type).map((field) => field + (isFilterable(attribute, type) ? filterable : '')),
    ),
    ...toOnes.map((relation) => toOneField(relation, type) + (isIndexed(type, relation.column.name) ? filterable : '')),
    ...toManys.map((relation) => toManyField(relation, type)),
  ]
  const text = `export default defineResource(${names.entity}, {
  type: '${names.type}',
  ${operationsSource(type)}
  fields: ({ ${wordsIn(fields).join(', ')} }) => [${fields.join(', ')}],
  ${filtersSource(type)}
  ${hasPolicy ? `policy: ${names.entity}Policy,` : ''}
})
`
  const exported = [...lists.values()].map(({ name }) => name)
  const used = [...exported, ...joins.map(({ entity }) => entity)].filter((name) => text.includes(`(${name})`))
  return `${text.includes('randomUUID') ? importing('randomUUID', 'node:crypto') : ''}
${importing('defineResource', '#kernel')}
${importing([...new Set([names.entity, ...used])].join(', '), './entity.ts')}
${hasPolicy ? importing(`${names.entity}Policy`, './policy.ts') : ''}

${text}`
}

/** The builders at the start of the fields. */
function wordsIn(fields: readonly string[]): string[] {
  return [...new Set(fields.map((field) => /^\w+/.exec(field)?.[0] as string))]
}

/** A type without a way to fill its required columns cannot be created. */
function operationsSource(type: TypePlan): string {
  if (type.isReadOnly) return 'readOnly: true,'
  return missingForCreates(type).length === 0 ? '' : `operations: ['FetchCollection', 'FetchOne', 'Update', 'Delete'],`
}

/** Columns without which no row can be created, and which requests cannot contain. */
export function missingForCreates({ attributes }: TypePlan): string[] {
  const missing = attributes.filter((attribute) => {
    return isNeeded(attribute) && attribute.filledBy === null && (!attribute.mapping.isWritable || attribute.isSecret)
  })
  return missing.map(({ column }) => column.name)
}

/** Whether a new row needs a value from the request, unless a trigger always fills the column. */
function isNeeded({ column, defaultedBy }: Pick<AttributePlan, 'column' | 'defaultedBy'>): boolean {
  const hasDefault = column.default !== null || column.hasDomainDefault
  const hasValue = hasDefault || column.generated !== null || column.identity !== null
  return column.isRequired && !hasValue && defaultedBy === null
}

/** Whether the database always gives the column its value: a trigger, an expression, or an identity. */
function isFilled({ column, filledBy }: Pick<AttributePlan, 'column' | 'filledBy'>): boolean {
  return filledBy !== null || column.generated !== null || column.identity !== null
}

function idField({ key, isReadOnly }: TypePlan): string {
  const { column } = key
  if (!column || isReadOnly || column.default || column.identity) return 'id()'
  return column.typeName === 'uuid' ? 'id().generateUsing(() => randomUUID())' : 'id().requireClientId()'
}

function attributeField(attribute: AttributePlan, type: TypePlan): string[] {
  const { column, mapping, rules, isSecret, filledBy } = attribute
  if (mapping.builder === null) return []
  const field = builderSource(attribute)
  if (isSecret) return [`${field}.hidden()`]
  const nullable = column.isRequired ? '' : '.nullable()'
  const sortable = isComparable(attribute) && isIndexed(type, column.name) ? '.sortable()' : ''
  if (type.isReadOnly) return [`${field}${nullable}${sortable}`]
  if (isFilled({ column, filledBy }) || !mapping.isWritable) return [`${field}${nullable}.readOnly()${sortable}`]
  return [`${field}${isNeeded(attribute) ? '.required()' : nullable}${rules}${sortable}`]
}

function builderSource({ property, mapping, isInfinite }: AttributePlan): string {
  return `${mapping.builder}('${property}')${isInfinite ? '.infinity()' : ''}`
}

function toOneField(relation: ToOnePlan, { isReadOnly }: TypePlan): string {
  const { property, target } = relation
  const written = isNeeded(relation) ? '.required()' : ''
  return `belongsTo('${property}', '${target.names.type}')${isReadOnly || isFixed(relation) ? '.readOnly()' : written}`
}

/** Whether requests cannot write the foreign key: it is the key of the row, or the database fills it. */
function isFixed(relation: ToOnePlan): boolean {
  return relation.isKey || isFilled(relation)
}

export function toManyField({ property, target, mappedBy, join, isOne }: ToManyPlan, type: TypePlan): string {
  const { type: name } = target.names
  if (!join) {
    const isReadOnly =
      type.isReadOnly || target.isReadOnly || target.toOnes.some((one) => one.property === mappedBy && isFixed(one))
    return `${isOne ? 'hasOne' : 'hasMany'}('${property}', '${name}')${isReadOnly ? '.readOnly()' : ''}`
  }
  return `belongsToMany('${property}', '${name}')${mappedBy === null ? pivotFields(join) : readOnlySource(join)}`
}

/** The inverse side cannot fill required columns of the join table. */
function readOnlySource({ attributes }: JoinPlan): string {
  return attributes.some((attribute) => isNeeded(attribute) && attribute.filledBy === null) ? '.readOnly()' : ''
}

function pivotFields({ entity, attributes }: JoinPlan): string {
  const fields = attributes.flatMap((attribute) => {
    const { property, column, mapping, rules, isSecret, filledBy } = attribute
    if (mapping.builder === null) return []
    if (isSecret) return [`${mapping.builder}('${property}').hidden()`]
    const isReadOnly = !mapping.isWritable || isFilled({ column, filledBy })
    const presence = isNeeded(attribute) && !isReadOnly ? '.required()' : column.isRequired ? '' : '.nullable()'
    return [`${builderSource(attribute)}${presence}${rules}${isReadOnly ? '.readOnly()' : ''}`]
  })
  if (fields.length === 0) return ''
  return `.through(${entity}).fields(({ ${wordsIn(fields).join(', ')} }) => [${fields.join(', ')}])`
}

/** Generates a policy that fails closed: only authenticated callers may read, and no caller may write. */
export function policySource({ names, isReadOnly }: TypePlan): string {
  const methods = [
    ...['viewAny', 'view'].map(
      (ability) => `override ${ability}(principal: Principal | null) { return principal !== null }`,
    ),
    ...(isReadOnly ? [] : ['create', 'update', 'delete']).map((ability) => `override ${ability}() { return false }`),
  ]
  const needs = ['view', ...(isReadOnly ? [] : ['update', 'delete'])].map((ability) => `${ability}: []`)
  return `${importing('type Principal', '#kernel')}
${importing('Policy', '#plugins/authorization/index.ts')}
${importing(`type ${names.entity}`, './entity.ts')}

/** Only authenticated callers may read ${names.type}${isReadOnly ? '' : ', and no caller may write them'}. Replace this with your rules. */
export class ${names.entity}Policy extends Policy<${names.entity}> {
  /** The properties that each method reads, as in \`update: ['owner.email']\`. No method reads the row. */
  static override readonly needs = { ${needs.join(', ')} }

  ${methods.join('\n')}
}
`
}
