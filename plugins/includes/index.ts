import {
  addNeeds,
  type Caller,
  checkLength,
  getOrCreate,
  type Plugin,
  type QueryContext,
  type RecordOf,
  type ResourceType,
  type Server,
  splitList,
  wholeRow,
} from '#kernel/plugin'
import { defaultIncludes } from './defaults.ts'
import { describeIncludes } from './describe.ts'
import { inclusionDepthExceeded, inclusionNotAllowed, inclusionUnrecognized, inclusionUnsupported } from './errors.ts'
import { readPaths } from './paths.ts'

declare module '#kernel' {
  interface RelationWords<Entity> {
    /** An include through it is refused; default includes pass it over. A requested include asks with a null record. */
    cannotBeIncluded(when?: (record: null, caller: Caller) => boolean): this
  }
  interface FieldOptions {
    notIncludable?: boolean | ((record: null, caller: Caller) => boolean)
  }
  interface ResourceWords<Entity> {
    /** Relations included when the request has no include. */
    readonly defaultIncludes?: readonly string[] | ((record: RecordOf<Entity>) => readonly string[])
    /** Relationship hops an include path may have from here; null or 0 is unlimited. */
    readonly maxIncludeDepth?: number | null
    /** The only paths that may be included; each allows its beginnings too. */
    readonly allowedIncludePaths?: readonly string[]
  }
}

/** `include=artist,tracks.album`, and what is included without asking. */
export function includes(): Plugin {
  return {
    name: 'includes',
    keys: ['defaultIncludes', 'maxIncludeDepth', 'allowedIncludePaths'],
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
        const { defaultIncludes = [] } = type.declaration
        if (typeof defaultIncludes === 'function') continue
        for (const name of defaultIncludes) {
          if (type.fields.get(name)?.role !== 'relation') {
            registry.fail(type, null, `The default include '${name}' is not a relation of this type.`)
          }
        }
      }
    },

    parameters: {
      include(value, query, reading) {
        if (typeof value !== 'string') return
        if (!takesInclude(reading)) {
          query.faults.push(inclusionUnsupported({ paths: splitList(value) }, { source: { parameter: 'include' } }))
          return
        }
        query.includeRequested = true
        const paths = splitList(value)
        checkLength('include paths', paths.length, reading.limits.includePaths, 'include')
        query.include = readPaths(paths, query, reading)
      },
    },

    onQuery(reading, query) {
      if (query.includeRequested || !takesInclude(reading)) return
      query.include = defaultIncludes(query.types, reading.server)
      for (const [type, properties] of getOrCreate(readers, reading.server, readersOf))
        addNeeds(query, type, properties)
    },

    describe: describeIncludes,
  }
}

const readers = new WeakMap<Server, readonly (readonly [ResourceType, readonly string[]])[]>()

/** Types whose records are asked what they include by themselves. */
function readersOf({ types }: Server): readonly (readonly [ResourceType, readonly string[]])[] {
  const asked = [...types.values()].filter((type) => typeof type.declaration.defaultIncludes === 'function')
  return asked.map((type) => [type, wholeRow(type)])
}

/** Wherever the primary data are resources. */
function takesInclude({ target, kind }: QueryContext): boolean {
  return target.kind !== 'relationship' && kind !== 'Delete'
}
