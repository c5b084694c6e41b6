import type { Principal, ResourceType } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { open, Policy, type PolicyClass } from '#plugins/authorization/index.ts'
import { startApp, type TestApp, type TestAppOptions } from '../app.ts'
import { pluginsKnowing } from '../principals.ts'
import { withoutTellingWords } from './rows-by-view.ts'

/**
 * What `blind` is denied: `scope`, the rows do not exist; `view`, they are not shown; `update`, they are neither changed
 * nor deleted; `delete`, they are not deleted; `linkable`, they do not join or leave a many-to-many.
 */
export type Denial = 'scope' | 'view' | 'update' | 'delete' | 'linkable'

/**
 * How the policies decide: `by-type`, abilities without a row, and rows by `scope`; `by-row`, writes row by row;
 * `rows-by-view`, `view` row by row, on declarations without what such a policy does not allow.
 */
export type Decision = 'by-type' | 'by-row' | 'rows-by-view'

export interface BlindfoldOptions extends TestAppOptions {
  readonly resources: readonly DeclaredResource[]
  readonly decision: Decision
}

/** Every principal may do everything with every row, except that `blind` is denied some rows of some types. */
export class Blindfold {
  readonly #options: BlindfoldOptions
  #denial: Denial = 'scope'
  #keys: readonly unknown[] = []
  #types: readonly ResourceType[] = []

  constructor(options: BlindfoldOptions) {
    this.#options = options
  }

  async start(): Promise<TestApp> {
    const resources = this.#options.resources.map((declared) => this.#wrap(declared))
    return startApp({ ...this.#options, resources, plugins: pluginsKnowing('blind', 'seer') })
  }

  /** Denies rows of a type, and of the types that share its entity. */
  hide(types: readonly ResourceType[], keys: readonly unknown[], denial: Denial = 'scope'): void {
    this.#types = types
    this.#keys = keys
    this.#denial = denial
  }

  /** The policy of a type is the base class, because its relations may name methods of it. */
  #wrap({ file, resource }: DeclaredResource): DeclaredResource {
    const { policy, type } = resource.declaration
    const Declared = (policy === undefined || policy === open ? Policy : policy) as typeof Base
    const { decision } = this.#options
    const wrapped = this.#wrapPolicy(Declared, type)
    const declaration = { ...resource.declaration, policy: wrapped as PolicyClass<never>, abilities: {} }
    const full = { file, resource: { ...resource, declaration } }
    return decision === 'rows-by-view' ? withoutTellingWords(full) : full
  }

  #wrapPolicy(Declared: typeof Base, type: string) {
    switch (this.#options.decision) {
      case 'by-type':
        return this.#decidedByType(Declared, type)
      case 'by-row':
        return this.#decidedByRow(Declared, type)
      default:
        return this.#shownByRow(Declared, type)
    }
  }

  #decidedByType(Declared: typeof Base, type: string) {
    const allows = (who: Principal | null, denied: readonly Denial[]) => !this.#denies(who, type, denied)
    const scopeFor = (who: Principal | null) => this.#scopeFor(who, type)
    class Wrapped extends Declared {
      static override readonly needs = { view: [], update: [], delete: [] }
      override before(who: Principal | null, ability: string) {
        if (ability === 'linkable') return allows(who, ['update'])
        return ability in standard ? undefined : true
      }
      override scope = scopeFor
      override viewAny = () => true
      override view = (who: Principal | null) => allows(who, ['view'])
      override create = () => true
      override update = (who: Principal | null) => allows(who, ['update'])
      override delete = (who: Principal | null) => allows(who, ['update', 'delete'])
    }
    return Wrapped
  }

  #decidedByRow(Declared: typeof Base, type: string) {
    const allows = (who: Principal | null, row: object, denied: readonly Denial[]) =>
      !(this.#denies(who, type, denied) && this.#isDenied(type, row))
    class Wrapped extends Declared {
      static override readonly needs = { view: [] } as never
      override before = (_: Principal | null, ability: string) => (ability in standard ? undefined : true)
      override scope = undefined as never
      override viewAny = () => true
      override view = () => true
      override create = () => true
      override update = (who: Principal | null, row: object) => allows(who, row, ['update'])
      override delete = (who: Principal | null, row: object) => allows(who, row, ['update', 'delete'])
      override linkable = (who: Principal | null, row: object) => allows(who, row, ['update', 'linkable'])
    }
    return Wrapped
  }

  #shownByRow(Declared: typeof Base, type: string) {
    const shows = (who: Principal | null, row: object) =>
      !(this.#denies(who, type, ['view']) && this.#isDenied(type, row))
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

  #denies(who: Principal | null, name: string, denials: readonly Denial[]): boolean {
    if (who?.identifier === 'seer' || !denials.includes(this.#denial)) return false
    return this.#types.some((type) => type.name === name)
  }

  #isDenied(name: string, row: object): boolean {
    const { property = '' } = this.#types.find((type) => type.name === name)?.id ?? {}
    return this.#keys.map(String).includes(String((row as Record<string, unknown>)[property]))
  }

  #scopeFor(who: Principal | null, name: string): object | true {
    if (!this.#denies(who, name, ['scope'])) return true
    const { property = '' } = this.#types.find((type) => type.name === name)?.id ?? {}
    return { $and: this.#keys.map((key) => ({ [property]: { $ne: key } })) }
  }
}

const standard = { viewAny: true, view: true, create: true, update: true, delete: true, linkable: true }

class Base extends Policy {}
