import { singularize } from 'inflection'
import type { AttributePlan, FieldPlans, RelationPlan } from './fields.ts'
import { type TypeNames, toPascal } from './names.ts'
import type { Target } from './targets.ts'

/** The data from which the sources of a resource are generated. */
export interface ResourcePlan extends FieldPlans {
  readonly names: TypeNames
  readonly targets: ReadonlyMap<string, Target>
  /** The key is a uuid that the service generates, instead of an integer of the database. */
  readonly hasUuid: boolean
  /** The plugin authorization is enabled. */
  readonly hasPolicy: boolean
  /** Anonymous callers may read. */
  readonly isPublic: boolean
  readonly hasSoftDeletes: boolean
  /** The plugin filter-expressions is listed: filtered attributes are filterable, too. */
  readonly hasExpressions: boolean
}

/** Generates entity.ts; Biome formats it and sorts its imports. */
export function entitySource(plan: ResourcePlan): string {
  const { names, attributes, relations, hasSoftDeletes } = plan
  const hasPivot = relations.some(({ toMany }) => toMany)
  const indexed = attributes.filter((attribute) => isSortable(attribute) || attribute.flags.has('filter'))
  const indexes = indexed
    .filter((attribute) => isSortable(attribute) || !attribute.flags.has('unique'))
    .map(({ name }) => `{ properties: ['${name}', 'id'] }`)
  return `${importing(`defineEntity, ${hasPivot ? 'type EntityName, ' : ''}p`, '@mikro-orm/core')}
${entityImports(plan, names.type)}

${attributes.map(valueList).join('\n')}

const schema = defineEntity({
  name: '${names.entity}',
  tableName: '${names.table}',
  ${indexes.length > 0 ? `indexes: [${indexes.join(', ')}],` : ''}
  properties: {
    id: p.${plan.hasUuid ? 'uuid' : 'integer'}().primary(),
    ${hasSoftDeletes ? 'deletedAt: p.datetime(3).nullable(),' : ''}
    ${[...attributes.map(propertySource), ...relations.map((relation) => relationSource(plan, relation))].join('\n')}
  },
})

export class ${names.entity} extends schema.class {}

schema.setClass(${names.entity})
${relations.map((relation) => (relation.toMany ? pivotSource(plan, relation) : '')).join('')}`
}

export function resourceSource(plan: ResourcePlan): string {
  const { names, attributes, relations, hasPolicy, hasSoftDeletes, hasUuid, hasExpressions } = plan
  const builders = [...attributes.map(({ kind }) => kind.builder), ...relations.map(relationBuilder)]
  const lists = attributes.flatMap(({ kind }) => kind.list ?? [])
  const filters = attributes.filter(({ flags }) => flags.has('filter')).map(({ name }) => `where('${name}')`)
  const fields = [
    hasUuid ? 'id().uuid().generated()' : 'id()',
    ...attributes.map((attribute) => fieldSource(attribute, hasExpressions)),
    ...relations.map(relationFieldSource),
  ]
  return `${importing('defineResource', '#kernel')}
${importing([names.entity, ...lists].join(', '), './entity.ts')}
${hasPolicy ? importing(`${names.entity}Policy`, './policy.ts') : ''}

export default defineResource(${names.entity}, {
  type: '${names.type}',
  // \`.sortable()\` allows \`sort=…\`. Add an index in entity.ts, too: \`npm run doctor\` lists sorts without one.
  fields: ({ ${[...new Set(['id', ...builders])].join(', ')} }) => [${fields.join(', ')}],
  ${filters.length > 0 ? `filters: ({ where }) => [${filters.join(', ')}],` : ''}
  ${hasPolicy ? `policy: ${names.entity}Policy,` : ''}
  ${hasSoftDeletes ? 'softDeletes: true,' : ''}
})
`
}

/** Generates a policy to start from: authenticated callers may read and write, and, if it is public, every caller may read. */
export function policySource({ names, hasSoftDeletes, isPublic }: ResourcePlan): string {
  const authenticated = (ability: string) =>
    `override ${ability}(principal: Principal | null) { return principal !== null }`
  const reads = ['viewAny', 'view'].map((ability) =>
    isPublic ? `override ${ability}() { return true }` : authenticated(ability),
  )
  const writes = ['create', 'update', 'delete'].map(authenticated)
  const ofTrash = (hasSoftDeletes ? ['viewTrashed', 'restore', 'forceDelete'] : []).map(
    (ability) => `${ability}(principal: Principal | null) { return principal !== null }`,
  )
  const needs = ['view', 'update', 'delete', ...(hasSoftDeletes ? ['restore', 'forceDelete'] : [])]
  return `${importing('type Principal', '#kernel')}
${importing('Policy', '#plugins/authorization/index.ts')}
${importing(`type ${names.entity}`, './entity.ts')}

/** ${isPublic ? `Every caller may read ${names.type}; authenticated callers may write them` : `Only authenticated callers may read and write ${names.type}`}. Replace this with your rules. */
export class ${names.entity}Policy extends Policy<${names.entity}> {
  /** The properties that each method reads, as in \`update: ['owner.email']\`. No method reads the row. */
  static override readonly needs = { ${needs.map((ability) => `${ability}: []`).join(', ')} }

  ${[...reads, ...writes, ...ofTrash].join('\n')}
}
`
}

export function factorySource({ names, attributes }: ResourcePlan): string {
  const titled = attributes.find(({ kind }) => kind.builder === 'string' && !kind.list && !isShort(kind.rules))
  const formed = attributes.filter(({ kind, presence }) => kind.row && presence === 'required')
  const values = [
    ...(titled ? [`${titled.name}: \`${names.title} \${n}\``] : []),
    ...formed.map(({ name, kind }) => `${name}: ${kind.row}`),
  ]
  const argument = values.some((value) => value.includes(`\${n}`)) ? '(n)' : '()'
  const row = values.length > 0 ? `${argument} => ({ ${values.join(', ')} })` : ''
  return `${importing('defineFactory', '#test/support/factory.ts')}
${importing(names.entity, './entity.ts')}

export const ${names.one}Factory = defineFactory(${[names.entity, row].filter(Boolean).join(', ')})
`
}

/** Whether a title with a number may be too long for the column. */
function isShort(rules = ''): boolean {
  return Number(/maxLength\((\d+)\)/.exec(rules)?.[1] ?? 255) < 40
}

/** Builds an import line. Tools that read imports would mistake a literal one for an import of this file. */
export function importing(names: string, module: string): string {
  return `import { ${names} } from '${module}'`
}

function isSortable({ kind, flags }: AttributePlan): boolean {
  return flags.has('sort') || kind.sortable === true
}

/** The entity and the name of the join table of a to-many relation. */
export function pivotNames({ names }: Pick<ResourcePlan, 'names'>, { name }: RelationPlan) {
  return {
    entity: `${names.entity}${toPascal(singularize(name))}`,
    table: `${names.one}_${name}`.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
  }
}

function entityImports({ relations, targets }: ResourcePlan, own: string): string {
  const others = relations.flatMap(({ target }) => (target === own ? [] : (targets.get(target) ?? [])))
  const lines = others.map(({ entity, module }) => importing(entity, module))
  return [...new Set(lines)].join('\n')
}

function valueList({ kind, values }: AttributePlan): string {
  const items = values.map((value) => `'${value}'`).join(', ')
  return kind.list ? `export const ${kind.list} = [${items}] as const` : ''
}

function propertySource({ name, kind, presence, flags }: AttributePlan): string {
  const end = { required: '', nullable: '.nullable()', default: `.${kind.default}` }[presence]
  return `${name}: p.${kind.property}${end}${flags.has('unique') ? '.unique()' : ''},`
}

function relationSource(plan: ResourcePlan, relation: RelationPlan): string {
  const { name, toMany, target, isRequired } = relation
  const entity = plan.targets.get(target)?.entity
  if (!toMany) return `${name}: () => p.manyToOne(${entity}).ref()${isRequired ? '' : '.nullable()'}.index(),`
  return `${name}: () => p.manyToMany(${entity}).owner().pivotEntity((): EntityName => ${pivotNames(plan, relation).entity}),`
}

/** Generates an entity for the join table, because its second foreign key needs an index. */
function pivotSource(plan: ResourcePlan, relation: RelationPlan): string {
  const { entity, table } = pivotNames(plan, relation)
  const schema = `${relation.name}Schema`
  const own = plan.names.one
  const member = singularize(relation.name)
  return `
/** A member of \`${relation.name}\`. */
const ${schema} = defineEntity({
  name: '${entity}',
  tableName: '${table}',
  properties: {
    ${own}: () => p.manyToOne(${plan.names.entity}).ref().primary().deleteRule('cascade'),
    ${member === own ? 'other' : member}: () => p.manyToOne(${plan.targets.get(relation.target)?.entity}).ref().primary().index().deleteRule('cascade'),
  },
})

export class ${entity} extends ${schema}.class {}

${schema}.setClass(${entity})
`
}

function fieldSource(attribute: AttributePlan, hasExpressions: boolean): string {
  const { name, kind, presence, flags } = attribute
  const start = { required: '.required()', nullable: '.nullable()', default: '' }[presence]
  const sortable = isSortable(attribute) ? '.sortable()' : ''
  const filterable = hasExpressions && flags.has('filter') ? '.filterable()' : ''
  return `${kind.builder}('${name}')${start}${kind.rules ?? ''}${sortable}${filterable}`
}

function relationFieldSource(relation: RelationPlan): string {
  const { name, target, isRequired } = relation
  return `${relationBuilder(relation)}('${name}', '${target}')${isRequired ? '.required()' : ''}`
}

function relationBuilder({ toMany }: RelationPlan): string {
  return toMany ? 'belongsToMany' : 'belongsTo'
}
