import { acceptedNames, didYouMean, type ErrorContext, type ErrorFactory } from '#kernel/errors'
import {
  applies,
  getOrCreate,
  type Query,
  type QueryContext,
  type Relation,
  type ResourceType,
  type Server,
} from '#kernel/plugin'
import { type IncludeNode, servesTarget } from '#kernel/queries'
import { findVisibleRelation } from '#query'
import { inclusionDepthExceeded, inclusionNotAllowed, inclusionUnrecognized } from './errors.ts'

/** The relations that a name of a path resolves to; several after a polymorphic relation. */
type PathStep = readonly Relation[]

interface RejectedPath {
  readonly path: string
  readonly reason: 'unrecognized' | 'notAllowed' | 'tooDeep'
  /** Accepted paths to name in the error. */
  readonly accepted: readonly string[]
}

/** Returns the include tree of the requested paths. Adds one fault per reason, naming all paths rejected for it. */
export function readPaths(paths: readonly string[], query: Query, queryContext: QueryContext): readonly IncludeNode[] {
  const rejected: RejectedPath[] = []
  const accepted: (readonly PathStep[])[] = []
  for (const path of new Set(paths)) {
    const resolved = resolvePath(path, query, queryContext)
    if ('reason' in resolved) rejected.push(resolved)
    else accepted.push(resolved)
  }
  const report = (error: ErrorFactory, reason: RejectedPath['reason'], context: ErrorContext = {}) => {
    const faults = rejected.filter((path) => path.reason === reason)
    if (faults.length === 0) return
    const names = faults.map(({ path }) => path)
    const alternatives = [...new Set(faults.flatMap((fault) => fault.accepted))]
    const details = { paths: names, accepted: acceptedNames(alternatives, ...names), ...context }
    query.faults.push(error(details, { source: { parameter: 'include' } }))
  }
  report(inclusionUnrecognized, 'unrecognized')
  report(inclusionNotAllowed, 'notAllowed')
  report(inclusionDepthExceeded, 'tooDeep', { maxDepth: findMaxDepth(query.type, queryContext.server) })
  return toTree(accepted)
}

/** Returns the maximum depth of the type, else of the server; 0 or less means unlimited. */
export function findMaxDepth({ declaration }: ResourceType, server: Server): number {
  return declaration.maxIncludeDepth ?? server.options.maxIncludeDepth ?? 0
}

/**
 * Returns false if `cannotBeIncluded()` rejects the relation, or the server lacks the related type. Without a request,
 * ignores functions in `cannotBeIncluded()`.
 */
export function isIncludable(
  relation: Relation,
  caller: Pick<QueryContext, 'request'> | null,
  server: Server,
): boolean {
  const { notIncludable = false } = relation.options
  if (notIncludable === true || !servesTarget(server, relation)) return false
  const request = typeof notIncludable === 'function' ? caller?.request : null
  return !request || !applies(notIncludable, [null, request], request)
}

/** Returns true if `allowedIncludePaths` of the type lists the path or a path that continues it, or is not declared. */
export function isAllowedPath(path: string, { declaration }: ResourceType): boolean {
  const allowed = declaration.allowedIncludePaths
  return !allowed || allowed.some((listed) => listed === path || listed.startsWith(`${path}.`))
}

/** Returns a sentence about the first name of a declared path that is not a relation. Undefined if all of them are. */
export function pathFault(path: string, types: readonly ResourceType[]): string | undefined {
  const [name = '', ...rest] = path.split('.')
  const relations = types.flatMap((type) => type.relations)
  const step = relations.filter((relation) => relation.name === name)
  if (step.length === 0) {
    const owners = types.map((type) => `'${type.name}'`).join(' or ')
    const suggestion = didYouMean(
      name,
      relations.map((relation) => relation.name),
    )
    return `${owners} has no relation '${name}'.${suggestion}`
  }
  const targets = [...new Set(step.flatMap((relation) => relation.targets))]
  return rest.length > 0 && targets.length > 0 ? pathFault(rest.join('.'), targets) : undefined
}

function resolvePath(path: string, query: Query, queryContext: QueryContext): readonly PathStep[] | RejectedPath {
  const { server } = queryContext
  const names = path.split('.')
  const parents: (readonly ResourceType[])[] = [query.types]
  const steps: PathStep[] = []
  const reject = (reason: RejectedPath['reason'], index: number): RejectedPath => {
    return { path, reason, accepted: includablePaths(parents[index] ?? [], names.slice(0, index), query, queryContext) }
  }
  for (const [index, name] of names.entries()) {
    const step = (parents[index] ?? []).flatMap(
      (type) => findVisibleRelation(type, name, queryContext.visibility) ?? [],
    )
    if (step.length === 0) return reject('unrecognized', index)
    steps.push(step)
    parents.push([...new Set(step.flatMap((relation) => relation.targets))])
  }
  if (isTooDeep(names, query.type, server)) return { path, reason: 'tooDeep', accepted: [] }
  const denied = steps.findIndex((step, index) => {
    const prefix = names.slice(0, index + 1).join('.')
    return !isAllowedPath(prefix, query.type) || !step.every((relation) => isIncludable(relation, queryContext, server))
  })
  return denied === -1 ? steps : reject('notAllowed', denied)
}

/** Returns the paths the requester may request that continue a prefix by one relation. Never names hidden relations. */
function includablePaths(
  types: readonly ResourceType[],
  prefix: readonly string[],
  query: Query,
  queryContext: QueryContext,
): readonly string[] {
  const { server, visibility } = queryContext
  return types
    .flatMap((type) => type.relations)
    .filter(({ owner, name }) => findVisibleRelation(owner, name, visibility))
    .filter((relation) => isIncludable(relation, queryContext, server))
    .map(({ name }) => [...prefix, name])
    .filter((names) => !isTooDeep(names, query.type, server))
    .map((names) => names.join('.'))
    .filter((path) => isAllowedPath(path, query.type))
}

function isTooDeep(names: readonly string[], type: ResourceType, server: Server): boolean {
  const maxDepth = findMaxDepth(type, server)
  return maxDepth > 0 && names.length > maxDepth
}

/** Merges paths with a common prefix, so that each relation is loaded once. */
function toTree(paths: readonly (readonly PathStep[])[]): readonly IncludeNode[] {
  const groups = new Map<Relation, (readonly PathStep[])[]>()
  for (const [step = [], ...rest] of paths) {
    for (const relation of step) {
      const group = getOrCreate(groups, relation, () => [])
      if (rest.length > 0) group.push(rest)
    }
  }
  return [...groups].map(([relation, rest]) => ({
    relation,
    children: toTree(rest.map((steps) => stepsFrom(relation, steps))),
  }))
}

/** Limits the next step to relations of the target types of a relation. */
function stepsFrom({ targets }: Relation, [step = [], ...rest]: readonly PathStep[]): readonly PathStep[] {
  return [step.filter(({ owner }) => targets.includes(owner)), ...rest]
}
