import Joi from 'joi'
import { didYouMean, formText } from '#kernel/errors'
import type { Caller, Plugin, RecordOf, ResourceType, Ruled, Server } from '#kernel/plugin'
import { addNeeds, wholeRow } from '#kernel/queries'
import { checkQueryLimit, listLimit, showsResources, splitList } from '#query'
import { defaultIncludes } from './defaults.ts'
import { describeIncludes } from './describe.ts'
import { inclusionDepthExceeded, inclusionNotAllowed, inclusionUnrecognized, inclusionUnsupported } from './errors.ts'
import { pathFault, readPaths } from './paths.ts'

declare module '#kernel/plugin' {
  interface Server {
    /** The columns of types whose default includes are a function. */
    includeNeeds?: RowNeeds
  }
}

declare module '#kernel' {
  interface RelationModifiers<Entity> {
    /** Rejects includes of the relation, and skips it in default includes. A function receives null as the record. */
    cannotBeIncluded<Rule extends [when?: (record: null, caller: Caller) => boolean]>(
      ...rule: Rule
    ): this & Ruled<'cannotBeIncluded', Rule>
  }
  interface FieldOptions {
    notIncludable?: boolean | ((record: null, caller: Caller) => boolean)
  }
  interface ResourceKeys<Entity> {
    /** Relations to include when the request has no `include` parameter. */
    readonly defaultIncludes?: readonly string[] | ((record: RecordOf<Entity>) => readonly string[])
    /** Maximum number of relations in an include path from this type; null uses the server's, 0 is unlimited. */
    readonly maxIncludeDepth?: number | null
    /** The only include paths accepted; each also accepts its prefixes. Null, like the default: all paths. */
    readonly allowedIncludePaths?: readonly string[] | null
  }
}

declare module '#kernel/plugin' {
  interface ServerOptions {
    /** Maximum number of relations in an include path; 0, like the default, is no limit. */
    readonly maxIncludeDepth?: number
  }
}

const names = Joi.array().items(Joi.string())

/**
 * Compound documents by `include=artist,tracks.album`, and default includes. Eager loading: one statement per relation and
 * level, never one per row (N+1).
 */
export function includes(): Plugin {
  return {
    name: 'includes',
    environment: { MAX_INCLUDE_PATHS: Joi.number().integer().min(0).default(50) },
    keys: {
      defaultIncludes: Joi.alternatives(names, Joi.function()).messages(
        formText('is a list of relations, or a function that returns one'),
      ),
      maxIncludeDepth: Joi.number().integer().allow(null),
      allowedIncludePaths: names.allow(null),
      'server.maxIncludeDepth': Joi.number().integer(),
    },
    errors: [inclusionUnrecognized, inclusionNotAllowed, inclusionDepthExceeded, inclusionUnsupported].map(
      (error) => error.definition,
    ),
    modifiers: {
      relation: {
        cannotBeIncluded: (_, notIncludable: boolean | (() => boolean) = true) => ({ options: { notIncludable } }),
      },
    },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const { defaultIncludes = [], allowedIncludePaths } = type.declaration
        for (const path of allowedIncludePaths ?? []) {
          const fault = pathFault(path, [type])
          if (fault) registry.fail(type, 'allowedIncludePaths', `'${path}' is not a path of relations: ${fault}`)
        }
        if (typeof defaultIncludes === 'function') continue
        for (const name of defaultIncludes) {
          if (type.fields.get(name)?.role !== 'relation') {
            const names = type.relations.map((relation) => relation.name)
            const message = `The default include '${name}' is not a relation of this type.${didYouMean(name, names)}`
            registry.fail(type, null, message)
          }
        }
      }
    },

    parameters: {
      include: {
        list(value, query, queryContext) {
          if (typeof value !== 'string') return
          if (!showsResources(queryContext)) {
            query.faults.push(inclusionUnsupported({}, { source: { parameter: 'include' } }))
            return
          }
          query.includeRequested = true
          const paths = splitList(value)
          checkQueryLimit('include paths', paths.length, listLimit(queryContext, 'MAX_INCLUDE_PATHS'), 'include')
          query.include = readPaths(paths, query, queryContext)
        },
        isAccepted: showsResources,
      },
    },

    onQuery(queryContext, query) {
      if (query.includeRequested || !showsResources(queryContext)) return
      const { server } = queryContext
      query.include = defaultIncludes(query.types, server)
      server.includeNeeds ??= findRowNeeds(server)
      for (const [type, properties] of server.includeNeeds) addNeeds(query, type, properties)
    },

    describe: describeIncludes,
  }
}

type RowNeeds = readonly (readonly [type: ResourceType, properties: readonly string[]])[]

/** Returns the columns of types whose default includes are a function, which receives the whole row. */
function findRowNeeds({ types }: Server): RowNeeds {
  const computed = [...types.values()].filter((type) => typeof type.declaration.defaultIncludes === 'function')
  return computed.map((type) => [type, wholeRow(type)])
}
