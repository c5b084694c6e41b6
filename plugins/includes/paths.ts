import {
  type ApiRequest,
  type ErrorContext,
  type ErrorFactory,
  type IncludeNode,
  type Query,
  type Relation,
  type ResourceType,
  type Server,
  servesTarget,
} from '#kernel'
import { inclusionDepthExceeded, inclusionNotAllowed, inclusionUnrecognized } from './errors.ts'

type Verdict = 'unrecognized' | 'notAllowed' | 'tooDeep'

/** Builds the include tree of the requested paths; every offending path is named, in one error per kind of offence. */
export function readPaths(paths: readonly string[], query: Query, request: ApiRequest): readonly IncludeNode[] {
  const maxDepth = depthOf(query.type, request.server)
  const refused: Record<Verdict, string[]> = { unrecognized: [], notAllowed: [], tooDeep: [] }
  const accepted = new Map<string, Relation[]>()
  for (const path of new Set(paths)) {
    const relations = follow(path, query.type, request, maxDepth)
    if (typeof relations === 'string') refused[relations].push(path)
    else accepted.set(path, relations)
  }
  const fault = (error: ErrorFactory, offending: readonly string[], context: ErrorContext = {}) => {
    if (offending.length === 0) return
    query.faults.push(error({ paths: offending.join(', '), ...context }, { source: { parameter: 'include' } }))
  }
  fault(inclusionUnrecognized, refused.unrecognized)
  fault(inclusionNotAllowed, refused.notAllowed)
  fault(inclusionDepthExceeded, refused.tooDeep, { maxDepth })
  return toTree([...accepted.values()])
}

/** The type's own depth, else the server's; 0 or less is unlimited. */
export function depthOf({ declaration }: ResourceType, server: Server): number {
  return declaration.maxIncludeDepth ?? server.maxIncludeDepth
}

export function isIncludable(relation: Relation, request: ApiRequest | null, server: Server): boolean {
  const { notIncludable = false } = relation.options
  const refused = typeof notIncludable === 'function' ? request !== null && notIncludable(null, request) : notIncludable
  return !refused && servesTarget(server, relation)
}

function follow(path: string, root: ResourceType, request: ApiRequest, maxDepth: number): Relation[] | Verdict {
  const names = path.split('.')
  const relations: Relation[] = []
  let type = root
  for (const name of names) {
    const relation = type.fields.get(name)
    if (relation?.role !== 'relation' || relation.hidden === true) return 'unrecognized'
    relations.push(relation)
    type = relation.target
  }
  if (maxDepth > 0 && names.length > maxDepth) return 'tooDeep'
  const allowed = root.declaration.allowedIncludePaths
  const listed = !allowed || allowed.some((one) => one === path || one.startsWith(`${path}.`))
  return listed && relations.every((relation) => isIncludable(relation, request, request.server))
    ? relations
    : 'notAllowed'
}

function toTree(paths: readonly (readonly Relation[])[]): readonly IncludeNode[] {
  const groups = new Map<Relation, (readonly Relation[])[]>()
  for (const [relation, ...rest] of paths) {
    if (!relation) continue
    const group = groups.get(relation) ?? []
    groups.set(relation, rest.length > 0 ? [...group, rest] : group)
  }
  return [...groups].map(([relation, rest]) => ({ relation, children: toTree(rest) }))
}
