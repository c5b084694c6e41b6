import { plugins as listed } from '#app/plugins.ts'
import type { Principal, ResourceType } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { open, Policy, type PolicyClass } from '#plugins/authorization/index.ts'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { withTokens } from '#test/support/principals.ts'
import { withoutRevealingFeatures } from './rows-by-view.ts'

/**
 * The ability that the principal `restricted` lacks: `scope`, the rows do not exist; `view`, they are not returned;
 * `update`, they are neither changed nor deleted; `delete`, they are not deleted; `linkable`, they do not join or leave a
 * many-to-many relation. `trashed`: the rows are soft-deleted, for every principal.
 */
export type Denial = 'scope' | 'view' | 'update' | 'delete' | 'linkable' | 'trashed'

/**
 * How the policies decide: `by-type`, abilities without a row, and rows by `scope`; `by-row`, writes per row;
 * `rows-by-view`, `view` per row, on declarations without the features that such a policy forbids.
 */
export type Decision = 'by-type' | 'by-row' | 'rows-by-view'

export interface RowDenialOptions extends TestAppOptions {
  readonly resources: readonly DeclaredResource[]
  readonly decision: Decision
}

/** Allows every principal everything, except that `restricted` is denied some rows of some types. */
export class RowDenials {
  readonly #options: RowDenialOptions
  #denial: Denial = 'scope'
  #keys: readonly unknown[] = []
  #types: readonly ResourceType[] = []

  constructor(options: RowDenialOptions) {
    this.#options = options
  }

  async start(): Promise<TestApp> {
    const resources = this.#options.resources.map((declared) => this.#wrap(declared))
    const plugins = withTokens(this.#options.plugins ?? listed, 'restricted', 'unrestricted')
    return startApp({ ...this.#options, resources, plugins })
  }

  /** Denies rows of a type and of the types that share its entity. */
  deny(types: readonly ResourceType[], keys: readonly unknown[], denial: Denial = 'scope'): void {
    this.#types = types
    this.#keys = keys
    this.#denial = denial
  }

  /** Extends the policy of a type, because its relations may name its methods. */
  #wrap({ file, resource }: DeclaredResource): DeclaredResource {
    const { policy, type } = resource.declaration
    const Declared = (policy === undefined || policy === open ? Policy : policy) as typeof Base
    const { decision } = this.#options
    const wrapped = this.#wrapPolicy(Declared, type)
    const declaration = { ...resource.declaration, policy: wrapped as PolicyClass<never>, abilities: {} }
    const full = { file, resource: { ...resource, declaration } }
    return decision === 'rows-by-view' ? withoutRevealingFeatures(full) : full
  }

  #wrapPolicy(Declared: typeof Base, type: string) {
    switch (this.#options.decision) {
      case 'by-type':
        return this.#denyByType(Declared, type)
      case 'by-row':
        return this.#denyByRow(Declared, type)
      default:
        return this.#denyViewByRow(Declared, type)
    }
  }

  #denyByType(Declared: typeof Base, type: string) {
    const allows = (principal: Principal | null, denied: readonly Denial[]) => !this.#denies(principal, type, denied)
    const scopeFor = (principal: Principal | null) => this.#scopeFor(principal, type)
    class Wrapped extends Declared {
      static override readonly needs = { view: [], update: [], delete: [] }
      override before(principal: Principal | null, ability: string) {
        if (ability === 'linkable') return allows(principal, ['update'])
        return ability in standard ? undefined : true
      }
      override scope = scopeFor
      override viewAny = () => true
      override view = (principal: Principal | null) => allows(principal, ['view'])
      override create = () => true
      override update = (principal: Principal | null) => allows(principal, ['update'])
      override delete = (principal: Principal | null) => allows(principal, ['update', 'delete'])
    }
    return Wrapped
  }

  #denyByRow(Declared: typeof Base, type: string) {
    const allows = (principal: Principal | null, row: object, denied: readonly Denial[]) =>
      !(this.#denies(principal, type, denied) && this.#isDenied(type, row))
    class Wrapped extends Declared {
      static override readonly needs = { view: [] } as never
      override before = (_: Principal | null, ability: string) => (ability in standard ? undefined : true)
      override scope = undefined as never
      override viewAny = () => true
      override view = () => true
      override create = () => true
      override update = (principal: Principal | null, row: object) => allows(principal, row, ['update'])
      override delete = (principal: Principal | null, row: object) => allows(principal, row, ['update', 'delete'])
      override linkable = (principal: Principal | null, row: object) => allows(principal, row, ['update', 'linkable'])
    }
    return Wrapped
  }

  #denyViewByRow(Declared: typeof Base, type: string) {
    const shows = (principal: Principal | null, row: object) =>
      !(this.#denies(principal, type, ['view']) && this.#isDenied(type, row))
    class Wrapped extends Declared {
      static override readonly needs = { update: [], delete: [] } as never
      static override readonly rowsByView = true
      override before = (_: Principal | null, ability: string) => (ability in standard ? undefined : true)
      override scope = undefined as never
      override viewAny = () => true
      override view = shows
      override create = () => true
      override update = () => true
      override delete = () => true
    }
    return Wrapped
  }

  #denies(principal: Principal | null, name: string, denials: readonly Denial[]): boolean {
    if (principal?.identifier === 'unrestricted' || !denials.includes(this.#denial)) return false
    return this.#types.some((type) => type.name === name)
  }

  #isDenied(name: string, row: object): boolean {
    const { property = '' } = this.#types.find((type) => type.name === name)?.id ?? {}
    return this.#keys.map(String).includes(String((row as Record<string, unknown>)[property]))
  }

  #scopeFor(principal: Principal | null, name: string): object | true {
    if (!this.#denies(principal, name, ['scope'])) return true
    const { property = '' } = this.#types.find((type) => type.name === name)?.id ?? {}
    return { $and: this.#keys.map((key) => ({ [property]: { $ne: key } })) }
  }
}

const standard = { viewAny: true, view: true, create: true, update: true, delete: true, linkable: true }

class Base extends Policy {}
