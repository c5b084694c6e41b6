import type { EntityManager, FilterQuery, Opt } from '@mikro-orm/core'

// The types of MikroORM in the contract of the kernel: what declarations and functions of authors are checked against.

declare module '#kernel/store' {
  interface StoreTypes<Entity> {
    readonly filter: FilterQuery<Entity>
    readonly defaultMark: Opt.Brand
  }

  interface Unit {
    /** The EntityManager of the unit, inside its transaction until the commit. It is created on first use. */
    readonly em: EntityManager
  }
}
