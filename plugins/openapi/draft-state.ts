import type { ResourceType, Server } from '#kernel/plugin'
import type {
  ComponentSection,
  DescribedDocument,
  DescribedLinkage,
  DescribedRelationship,
  DescribedResource,
  Schema,
} from '#openapi'
import { pascalCase } from './names.ts'
import type { AttributesObject } from './schemas/attributes.ts'

/** The state of a draft: components, and descriptions that plugins may change. */
export interface DraftState {
  readonly server: Server
  readonly components: Readonly<Record<ComponentSection, Map<string, object>>>
  readonly objects: AttributesObject[]
  readonly resources: DescribedResource[]
  readonly relationships: DescribedRelationship[]
  readonly linkages: DescribedLinkage[]
  readonly documents: DescribedDocument[]
  /** The work that plugins have deferred by `afterPlugins`. */
  readonly afterPlugins: (() => void)[]
  /** Add `required` and `nullable`, which plugins may change, to the schemas of request bodies. */
  readonly requestCompletions: (() => void)[]
  component(name: string, make: () => object, section?: ComponentSection): Schema
  refer(name: string, section?: ComponentSection): Schema
  nameOf(type: ResourceType, ...members: readonly string[]): string
}

export function createDraftState(server: Server): DraftState {
  const components = {
    schemas: new Map(),
    parameters: new Map(),
    responses: new Map(),
    headers: new Map(),
    securitySchemes: new Map(),
  }
  const refer = (name: string, section: ComponentSection = 'schemas'): Schema => ({
    $ref: `#/components/${section}/${name}`,
  })
  return {
    server,
    components,
    objects: [],
    resources: [],
    relationships: [],
    linkages: [],
    documents: [],
    afterPlugins: [],
    requestCompletions: [],
    component(name, make, section = 'schemas') {
      if (!components[section].has(name)) {
        components[section].set(name, {})
        components[section].set(name, make())
      }
      return refer(name, section)
    },
    refer,
    nameOf: (type, ...members) => [type.name, ...members].map(pascalCase).join(''),
  }
}
