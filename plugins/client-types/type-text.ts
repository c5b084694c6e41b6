import type { Schema } from '#openapi'
import { actionsText, answersText } from './action-text.ts'
import { relationsText } from './relation-text.ts'
import {
  type Described,
  type DescribedOperation,
  literals,
  objectText,
  type SchemaText,
  writeKey,
} from './schema-text.ts'

/** An operation of the document, with its path. */
export interface Operation extends DescribedOperation {
  readonly path: string
  readonly method: string
}

/** The parts of a document that describe a type. */
export interface TypeParts {
  readonly name: string
  readonly text: SchemaText
  readonly operations: ReadonlyMap<string, Operation>
  readonly resource: Schema | undefined
  readonly create: Schema | undefined
  readonly update: Schema | undefined
  /** The names of all types of the document. */
  readonly names: ReadonlySet<string>
}

/** The operations of a document by id. */
export function indexOperations({ paths }: Described): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]): [string, Operation] => [
          operation.operationId,
          { ...operation, path, method: method.toUpperCase() },
        ]),
    ),
  )
}

const operationNames = {
  list: 'fetchCollection',
  get: 'fetchOne',
  create: 'create',
  update: 'update',
  remove: 'delete',
}

/** The members of the `TypeSchema` of a type. */
export function typeText(parts: TypeParts): string {
  const { name, text, operations } = parts
  const of = (operation: keyof typeof operationNames) => operations.get(`${operationNames[operation]}.${name}`)
  const offered = [
    ...Object.keys(operationNames).filter((key) => of(key as keyof typeof operationNames)),
    ...(hasStream(of('list')) ? ['live'] : []),
    ...(hasStream(of('get')) ? ['liveOne'] : []),
  ]
  const shown = of('get') ?? of('list') ?? of('create')
  const { properties = {} } = text.resolve(parts.resource)
  const attributes = text.resolve(properties.attributes)
  const { optional = [] } = (attributes['x-client'] ?? {}) as { optional?: readonly string[] }
  const include = parameter(shown, 'include')
  const members = new Map([
    ['attributes', objectText(text.membersOf(attributes, true, (key) => optional.includes(key)))],
    ['create', objectText(text.membersOf(findData(parts.create, 'attributes', text)))],
    ['update', objectText(text.membersOf(findData(parts.update, 'attributes', text)))],
    ['id', idText(parts)],
    ['relations', relationsText(parts)],
    ['operations', literals(offered)],
    ['filters', filtersText(of('list'), text, false)],
    ['singular', filtersText(of('list'), text, true)],
    ...filterableText(of('list')),
    ['sorts', literals(listSorts(of('list')))],
    ['page', pageText(of('list'), text)],
    ['includes', literals(include?.['x-include-paths'] ?? listValues(include?.schema))],
    ['defaultIncludes', literals(include?.['x-client']?.default ?? [])],
    ['counts', literals(listValues(parameter(of('list'), 'withCount')?.schema))],
    ['actions', actionsText(parts)],
    ['created', answersText(of('create'), parts) || "'row'"],
    ['updated', answersText(of('update'), parts) || "'row'"],
    ['removed', answersText(of('remove'), parts) || "'none'"],
    ['etags', String(hasEtag(of('get') ?? of('create') ?? of('update')))],
    ['path', `'${(of('list') ?? of('get') ?? of('create'))?.path.split('/')[1] ?? name}'`],
  ])
  return [...members].map(([key, type]) => `  readonly ${key}: ${type}`).join('\n')
}

/** Whether the resource that an operation returns has an entity tag. */
function hasEtag(operation: Operation | undefined): boolean {
  const { 200: read, 201: created } = operation?.responses ?? {}
  return (read ?? created)?.headers?.ETag !== undefined
}

/** Whether a client may read the response of an operation as a stream of changes. */
function hasStream(operation: Operation | undefined): boolean {
  return operation?.responses?.[200]?.content?.['text/event-stream'] !== undefined
}

function idText({ create, text }: TypeParts): string {
  const { properties = {}, required = [] } = text.resolve(findData(create, null, text))
  if (!properties.id) return "'server'"
  return required.includes('id') ? "'client'" : "'optional'"
}

/** `data`, or a member of it, in a request document. */
export function findData(request: Schema | undefined, member: string | null, text: SchemaText): Schema | undefined {
  const data = text.resolve(text.resolve(request).properties?.data)
  const found = member === null ? data : data.properties?.[member]
  return found ? text.resolve(found) : undefined
}

export function parameter(operation: Operation | undefined, name: string) {
  return operation?.parameters?.find((one) => one.name === name)
}

/** The values of a list parameter. */
export function listValues(schema: Schema | undefined): readonly string[] {
  return ((schema?.items as Schema | undefined)?.enum ?? []) as readonly string[]
}

export function listSorts(operation: Operation | undefined): readonly string[] {
  return listValues(parameter(operation, 'sort')?.schema).filter((key) => !key.startsWith('-'))
}

export function pageText(operation: Operation | undefined, text: SchemaText): string {
  const { schema } = parameter(operation, 'page') ?? {}
  return schema ? text.writeType(schema) : 'never'
}

/** The filters of an operation: those that select one resource, or the others; all for null. */
export function filtersText(operation: Operation | undefined, text: SchemaText, isSingular: boolean | null): string {
  const filters = (operation?.parameters ?? []).flatMap((one): [string, string][] => {
    const [, key] = /^filter\[(.+)\]$/.exec(one.name ?? '') ?? []
    const { singular = false, presence } = one['x-client'] ?? {}
    const isTyped = key === 'where' && one['x-filterable'] !== undefined // filterableText has its names
    if (key === undefined || isTyped || (isSingular !== null && singular !== isSingular)) return []
    return [[`${writeKey(key)}?`, presence ? 'true' : valueText(one.schema, text)]]
  })
  return objectText(new Map(filters))
}

/** The fields that expressions name, with the operators that they accept. Empty if there is no such filter. */
function filterableText(operation: Operation | undefined): [string, string][] {
  const { attributes = {}, relations = [] } =
    operation?.parameters?.find((one) => one['x-filterable'])?.['x-filterable'] ?? {}
  const fields = [
    ...Object.entries(attributes)
      .filter(([name]) => name !== 'id')
      .map(([name, operators]) => [name, operatorGroup(operators)] as const),
    ...relations.map((name) => [name, 'relation'] as const),
  ]
  if (fields.length === 0) return []
  return [['filterable', objectText(new Map(fields.map(([name, kind]) => [writeKey(name), `'${kind}'`])))]]
}

function operatorGroup(operators: readonly string[]): string {
  return operators.includes('contains') ? 'text' : operators.includes('gt') ? 'ordered' : 'equal'
}

/** A list also accepts one value; null disables a default. */
function valueText({ default: preset, ...schema }: Schema, text: SchemaText): string {
  const item = schema.type === 'array' ? `${text.writeType(schema.items as Schema)} | ` : ''
  return `${item}${text.writeType(schema)}${preset === undefined ? '' : ' | null'}`
}
