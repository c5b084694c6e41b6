import type { Relation, ResourceType, Server } from '#kernel/plugin'
import {
  type DescribedDocument,
  type DescribedOperation,
  listParameter,
  type OpenApiDraft,
  type Schema,
} from '#openapi'
import { inclusionDepthExceeded, inclusionNotAllowed, inclusionUnrecognized, inclusionUnsupported } from './errors.ts'
import { findMaxDepth, isAllowedPath, isIncludable } from './paths.ts'

const refusals = [inclusionUnrecognized, inclusionNotAllowed, inclusionDepthExceeded].map(
  ({ definition }) => definition,
)

/** The length of listed paths where the depth is unlimited. */
const listedDepth = 3

export function describeIncludes(openapi: OpenApiDraft): void {
  const { operations, documents, server } = openapi
  for (const operation of operations) describeOperation(operation, server)
  for (const document of documents) {
    if (!document.data.startsWith('identifier')) describeIncluded(document, openapi)
  }
}

function describeOperation(operation: DescribedOperation, server: Server): void {
  const { kind, shows, includable, parameters } = operation
  if (!kind) return
  if (shows.length === 0) {
    operation.addErrors(400, inclusionUnsupported.definition)
    return
  }
  operation.addErrors(400, ...refusals)
  const { paths, types, isComplete } = includesFrom(shows, server)
  for (const type of types) includable.add(type)
  if (paths.length === 0) return
  const parameter = listParameter('include', parameterDescription(shows), isComplete ? paths : [])
  const defaults = listDefaults(shows)
  parameters.push({
    ...parameter,
    ...(!isComplete && { 'x-include-paths': paths }),
    ...(defaults.length > 0 && { 'x-client': { default: defaults } }),
  })
}

/** Documents the types in `included`. */
function describeIncluded({ types, schema }: DescribedDocument, { server, refer, nameOf }: OpenApiDraft): void {
  const found = [...includesFrom(types, server).types]
  const resources = found.map((type) => [type.name, refer(`${nameOf(type)}Resource`)] as const)
  schema.properties.included = { type: 'array', ...describeItems(resources) }
}

function describeItems(resources: readonly (readonly [type: string, schema: Schema])[]): Schema {
  const [first] = resources
  if (!first) return { items: {}, maxItems: 0 }
  if (resources.length === 1) return { items: first[1] }
  const mapping = Object.fromEntries(resources.map(([type, { $ref }]) => [type, $ref]))
  return { items: { oneOf: resources.map(([, schema]) => schema), discriminator: { propertyName: 'type', mapping } } }
}

interface Includes {
  readonly paths: readonly string[]
  /** The types that `included` may contain. */
  readonly types: ReadonlySet<ResourceType>
  /** False if the depth is unlimited and longer paths are accepted. */
  readonly isComplete: boolean
}

function includesFrom(roots: readonly ResourceType[], server: Server): Includes {
  const [root] = roots
  const found = new Set<ResourceType>()
  const paths: string[] = []
  if (!root) return { paths, types: found, isComplete: true }
  const limit = findMaxDepth(root, server)
  const isBounded = limit > 0 || Boolean(root.declaration.allowedIncludePaths)
  const unlisted: ResourceType[] = []
  const walk = (types: readonly ResourceType[], prefix: string, depth: number): void => {
    for (const [name, relations] of relationsByName(types, server)) {
      const path = prefix + name
      if (!isAllowedPath(path, root)) continue
      const targets = relations.flatMap((relation) => relation.targets)
      if (limit > 0 && depth > limit) continue
      if (!isBounded && depth > listedDepth) {
        unlisted.push(...targets)
        continue
      }
      paths.push(path)
      for (const target of targets) found.add(target)
      walk(targets, `${path}.`, depth + 1)
    }
  }
  walk(roots, '', 1)
  addReachable(unlisted, found, server)
  return { paths, types: found, isComplete: unlisted.length === 0 }
}

/** Adds the types and all types that paths of any length lead to from them. */
function addReachable(types: readonly ResourceType[], found: Set<ResourceType>, server: Server): void {
  const expanded = new Set<ResourceType>()
  const open = [...types]
  for (let type = open.pop(); type; type = open.pop()) {
    found.add(type)
    if (expanded.has(type)) continue
    expanded.add(type)
    for (const relations of relationsByName([type], server).values())
      open.push(...relations.flatMap(({ targets }) => targets))
  }
}

/** Groups includable relations by name. Lists relations that `cannotBeIncluded(fn)` allows to some requesters only. */
function relationsByName(types: readonly ResourceType[], server: Server): Map<string, Relation[]> {
  const includable = [...new Set(types)]
    .flatMap((type) => type.relations)
    .filter((relation) => relation.hidden !== true && isIncludable(relation, null, server))
  return Map.groupBy(includable, ({ name }) => name)
}

/** The default includes that do not depend on rows. */
function listDefaults([type]: readonly ResourceType[]): readonly string[] {
  const { defaultIncludes = [] } = type?.declaration ?? {}
  return typeof defaultIncludes === 'function' ? [] : defaultIncludes
}

function parameterDescription(shows: readonly ResourceType[]): string {
  const defaults = listDefaults(shows).map((name) => `\`${name}\``)
  const suffix = defaults.length > 0 ? ` Default: ${defaults.join(', ')}.` : ''
  return `Related resources to include, as relationship paths.${suffix}`
}
