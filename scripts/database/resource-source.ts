import { importing } from '../make/sources.ts'
import type { AttributePlan, JoinPlan, ToManyPlan, ToOnePlan, TypePlan } from './plan-types.ts'

/** Generates resource.ts. */
export function resourceSource(type: TypePlan, hasPolicy: boolean): string {
  const { names, attributes, toOnes, toManys, lists, joins } = type
  const fields = [
    idField(type),
    ...attributes.flatMap((attribute) => attributeField(attribute, type)),
    ...toOnes.map((relation) => toOneField(relation, type)),
    ...toManys.map((relation) => toManyField(relation, type)),
  ]
  const text = `export default defineResource(${names.entity}, {
  type: '${names.type}',
  ${operationsOf(type)}
  fields: ({ ${wordsIn(fields).join(', ')} }) => [${fields.join(', ')}],
  ${filtersOf(type)}
  ${hasPolicy ? `policy: ${names.entity}Policy,` : ''}
})
`
  const exported = [...lists.values(), ...joins.flatMap((join) => [...join.lists.values()])].map(({ name }) => name)
  const used = [...exported, ...joins.map(({ entity }) => entity)].filter((name) => text.includes(name))
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
export function operationsOf(type: TypePlan): string {
  if (type.isReadOnly) return 'readOnly: true,'
  return isCreatable(type) ? '' : `operations: ['FetchCollection', 'FetchOne', 'Update', 'Delete'],`
}

export function isCreatable({ attributes }: TypePlan): boolean {
  return attributes.every(({ mapping, column }) => mapping.isWritable || !isNeeded(column))
}

function isNeeded(column: AttributePlan['column']): boolean {
  return column.isRequired && column.default === null && column.generated === null && column.identity === null
}

function idField({ key, isReadOnly }: TypePlan): string {
  const { column } = key
  if (!column || isReadOnly || column.default || column.identity) return 'id()'
  return column.typeName === 'uuid' ? 'id().generateUsing(() => randomUUID())' : 'id().requireClientId()'
}

function attributeField({ property, column, mapping, rules, isSecret }: AttributePlan, type: TypePlan): string[] {
  if (mapping.builder === null) return []
  const isReadOnly = !mapping.isWritable || column.generated !== null || column.identity === 'always'
  const presence = isNeeded(column) ? '.required()' : column.isRequired ? '' : '.nullable()'
  if (type.isReadOnly)
    return isSecret ? [] : [`${mapping.builder}('${property}')${presence === '.nullable()' ? presence : ''}`]
  if (isReadOnly) return [`${mapping.builder}('${property}')${column.isRequired ? '' : '.nullable()'}.readOnly()`]
  const sortable =
    !isSecret && isIndexed(type, column.name) && isComparable(mapping.builder, column) ? '.sortable()' : ''
  return [`${mapping.builder}('${property}')${presence}${rules}${isSecret ? '.writeOnly()' : ''}${sortable}`]
}

function isComparable(builder: string, { typeName }: AttributePlan['column']): boolean {
  return !['arrayList', 'arrayHash'].includes(builder) && typeName !== 'interval'
}

/** Whether a B-tree index starts with the column. */
function isIndexed({ relation }: TypePlan, column: string): boolean {
  const uniques = relation.constraints.filter(({ kind }) => kind === 'unique')
  return [...relation.indexes.filter(({ isPlain }) => isPlain), ...uniques].some(({ columns }) => columns[0] === column)
}

/** A filter for every column with a unique constraint of its own. */
function filtersOf({ relation, attributes, isReadOnly }: TypePlan): string {
  const uniques = relation.constraints.filter(({ kind, columns }) => kind === 'unique' && columns.length === 1)
  const filters = attributes.filter(
    ({ column, isSecret, mapping }) =>
      !isSecret && mapping.builder && mapping.isWritable && uniques.some(({ columns }) => columns[0] === column.name),
  )
  if (filters.length === 0 || isReadOnly) return ''
  return `filters: ({ where }) => [${filters.map(({ property }) => `where('${property}')`).join(', ')}],`
}

function toOneField({ property, target, column, isKey }: ToOnePlan, { isReadOnly }: TypePlan): string {
  const written = isNeeded(column) ? '.required()' : ''
  return `belongsTo('${property}', '${target.names.type}')${isKey || isReadOnly ? '.readOnly()' : written}`
}

export function toManyField({ property, target, mappedBy, join, isOne }: ToManyPlan, type: TypePlan): string {
  const { type: name } = target.names
  if (!join) {
    const isWritten = !target.isReadOnly && !target.toOnes.find((one) => one.property === mappedBy)?.isKey
    return `${isOne ? 'hasOne' : 'hasMany'}('${property}', '${name}')${isWritten && !type.isReadOnly ? '' : '.readOnly()'}`
  }
  return `belongsToMany('${property}', '${name}')${mappedBy === null ? pivotFields(join) : inverseOf(join)}`
}

/** The inverse side cannot fill required columns of the join table. */
function inverseOf({ attributes }: JoinPlan): string {
  return attributes.some(({ column }) => isNeeded(column)) ? '.readOnly()' : ''
}

function pivotFields({ entity, attributes }: JoinPlan): string {
  const fields = attributes.flatMap(({ property, column, mapping, rules, isSecret }) => {
    if (mapping.builder === null) return []
    const presence = isNeeded(column) ? '.required()' : column.isRequired ? '' : '.nullable()'
    const readOnly = mapping.isWritable && column.generated === null ? '' : '.readOnly()'
    return [`${mapping.builder}('${property}')${presence}${rules}${readOnly}${isSecret ? '.writeOnly()' : ''}`]
  })
  if (fields.length === 0) return ''
  return `.through(${entity}).fields(({ ${wordsIn(fields).join(', ')} }) => [${fields.join(', ')}])`
}

/** Generates a policy that fails closed: only authenticated callers may read and write. */
export function policySource({ names, isReadOnly }: TypePlan): string {
  const abilities = ['viewAny', 'view', ...(isReadOnly ? [] : ['create', 'update', 'delete'])]
  const methods = abilities.map(
    (ability) => `override ${ability}(principal: Principal | null) { return principal !== null }`,
  )
  const needs = ['view', ...(isReadOnly ? [] : ['update', 'delete'])].map((ability) => `${ability}: []`)
  return `${importing('type Principal', '#kernel')}
${importing('Policy', '#plugins/authorization/index.ts')}
${importing(`type ${names.entity}`, './entity.ts')}

/** Only authenticated callers may read${isReadOnly ? '' : ' and write'} ${names.type}. Replace this with your rules. */
export class ${names.entity}Policy extends Policy<${names.entity}> {
  /** The properties that each method reads, as in \`update: ['owner.email']\`. No method reads the row. */
  static override readonly needs = { ${needs.join(', ')} }

  ${methods.join('\n')}
}
`
}

/** Generates a test of the type over HTTP. The database of the tests has the schema, without rows. */
export function testSource({ names, isReadOnly }: TypePlan, hasPolicy: boolean): string {
  const reader = hasPolicy ? ', reader' : ''
  const kit = [...(hasPolicy ? ['as'] : []), 'type Client', 'createTestApp']
  return `${importing('expect', 'chai')}
${hasPolicy ? importing('developmentTokens', '#app/plugins.ts') : ''}
${importing(kit.join(', '), '#test/support/test-kit.ts')}

describe('${names.type}', () => {
  ${hasPolicy ? "const reader = as(Object.keys(developmentTokens)[0] ?? '')" : ''}
  let client: Client
  before(async () => {
    client = (await createTestApp()).client
  })

  it('returns the collection${hasPolicy ? ' to an authenticated requester' : ''}', async () => {
    const { status, body } = await client.get('/${names.type}'${reader})
    expect(status).to.equal(200)
    expect(body.data).to.be.an('array')
  })

  ${hasPolicy ? anonymousTest(names.type, isReadOnly) : ''}
  ${isReadOnly ? readOnlyTest(names.type, reader) : ''}
})
`
}

function anonymousTest(type: string, isReadOnly: boolean): string {
  return `it('returns 401 to an anonymous requester', async () => {
    expect((await client.get('/${type}')).status).to.equal(401)
    ${isReadOnly ? '' : `expect((await client.delete('/${type}/1')).status).to.be.oneOf([401, 404])`}
  })
`
}

function readOnlyTest(type: string, reader: string): string {
  return `it('returns 405 when a resource is created', async () => {
    expect((await client.post('/${type}', { data: { type: '${type}' } }${reader})).status).to.equal(405)
  })`
}
