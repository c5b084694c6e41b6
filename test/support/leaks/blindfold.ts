import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { Principal, ResourceType } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { open, Policy, type PolicyClass } from '#plugins/authorization/index.ts'
import { root, type TestApp } from '../app.ts'
import { startApp } from '../catalogue.ts'
import { pluginsKnowing } from '../principals.ts'

/** Everybody may do everything with every row, except that `blind` cannot see those that are hidden. */
export class Blindfold {
  #keys: readonly unknown[] = []
  #types: readonly ResourceType[] = []
  #app: TestApp | null = null

  async start(): Promise<TestApp> {
    const resources = (await declaredResources(await discover(root))).map((declared) => this.#wrap(declared))
    this.#app = await startApp({ resources, plugins: pluginsKnowing('blind', 'seer') })
    return this.#app
  }

  /** Rows of a type, and of the types that share its entity. */
  hide(types: readonly ResourceType[], keys: readonly unknown[]): void {
    this.#types = types
    this.#keys = keys
  }

  /** The policy of a type stays where its relations name methods of it; what it decides is decided here. */
  #wrap({ file, resource }: DeclaredResource): DeclaredResource {
    const visibleTo = (principal: Principal | null) => this.#visibleTo(principal, resource.declaration.type)
    const { policy } = resource.declaration
    const Declared = (policy === undefined || policy === open ? Policy : policy) as typeof Seeing
    class Wrapped extends Declared {
      static override readonly needs = { view: [], update: [], delete: [] }
      override before = () => true
      override scope(principal: Principal | null) {
        return visibleTo(principal)
      }
      override viewAny = () => true
      override view = () => true
      override create = () => true
      override update = () => true
      override delete = () => true
    }
    const declaration = { ...resource.declaration, policy: Wrapped as PolicyClass<never>, abilities: {} }
    return { file, resource: { ...resource, declaration } }
  }

  #visibleTo(principal: Principal | null, name: string): object | true {
    const type = this.#types.find((one) => one.name === name)
    if (!type || principal?.identifier !== 'blind') return true
    return { $and: this.#keys.map((key) => ({ [type.id.property]: { $ne: key } })) }
  }
}

class Seeing extends Policy {}
