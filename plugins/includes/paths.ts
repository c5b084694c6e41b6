import {
  type ApiRequest,
  applies,
  type ErrorContext,
  type ErrorFactory,
  getOrCreate,
  type IncludeNode,
  type Query,
  type QueryContext,
  type Relation,
  type ResourceType,
  type Server,
  servesTarget,
} from '#kernel/plugin'
import { inclusionDepthExceeded, inclusionNotAllowed, inclusionUnrecognized } from './errors.ts'

type Verdict = 'unrecognized' | 'notAllowed' | 'tooDeep'

/** Builds the include tree of the requested paths; every offending path is named, in one error per kind of offence. */
export function readPaths(paths: readonly string[], query: Query, reading: QueryContext): readonly IncludeNode[] {
  const maxDepth = depthOf(query.type, reading.server)
  const refused: Record<Verdict, string[]> = { unrecognized: [], notAllowed: [], tooDeep: [] }
  const accepted = new Map<string, Hop[]>()
  for (const path of new Set(paths)) {
    const hops = follow(path, query, reading, maxDepth)
    if (typeof hops === 'string') refused[hops].push(path)
    else accepted.set(path, hops)
  }
  const fault = (error: ErrorFactory, offending: readonly string[], context: ErrorContext = {}) => {
    if (offending.length === 0) return
    query.faults.push(error({ paths: offending, ...context }, { source: { parameter: 'include' } }))
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
  const isAsked = typeof notIncludable !== 'function' || request !== null
  const refused = isAsked && applies(notIncludable, [null, request as ApiRequest], request)
  return !refused && servesTarget(server, relation)
}

/** The relations a name of a path may mean: one, unless the step before led to several types. */
type Hop = readonly Relation[]

function follow(
  path: string,
  query: Query,
  { request, server, visibility }: QueryContext,
  maxDepth: number,
): Hop[] | Verdict {
  const names = path.split('.')
  const hops: Hop[] = []
  let types = query.types
  for (const name of names) {
    const hop = types.flatMap((type) => relationOf(type, name, visibility) ?? [])
    if (hop.length === 0) return 'unrecognized'
    hops.push(hop)
    types = [...new Set(hop.flatMap((relation) => relation.targets))]
  }
  if (maxDepth > 0 && names.length > maxDepth) return 'tooDeep'
  const allowed = query.type.declaration.allowedIncludePaths
  const listed = !allowed || allowed.some((one) => one === path || one.startsWith(`${path}.`))
  const includable = hops.flat().every((relation) => isIncludable(relation, request, server))
  return listed && includable ? hops : 'notAllowed'
}

function relationOf(type: ResourceType, name: string, visibility: QueryContext['visibility']): Relation | undefined {
  const field = type.fields.get(name)
  if (field?.role !== 'relation' || field.hidden === true) return undefined
  return visibility?.hides(field) ? undefined : field
}

function toTree(paths: readonly (readonly Hop[])[]): readonly IncludeNode[] {
  const groups = new Map<Relation, (readonly Hop[])[]>()
  for (const [hop = [], ...rest] of paths) {
    for (const relation of hop) {
      const group = getOrCreate(groups, relation, () => [])
      if (rest.length > 0) group.push(rest)
    }
  }
  return [...groups].map(([relation, rest]) => ({
    relation,
    children: toTree(rest.map((hops) => within(relation, hops))),
  }))
}

/** Of the relations that come next, those of the types this one leads to. */
function within({ targets }: Relation, [hop = [], ...rest]: readonly Hop[]): readonly Hop[] {
  return [hop.filter(({ owner }) => targets.includes(owner)), ...rest]
}
