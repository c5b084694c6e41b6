/** A member of a linked list. It is a member of one list at most. */
export interface Linked<Member> {
  previous: Member | null
  next: Member | null
}

/**
 * A doubly linked list, for short-lived members that are added and deleted all the time.
 * perf: a Set keeps deleted members alive. Its table is replaced again and again, and a replaced table refers to the next
 * one: as soon as one of them is in V8's old generation, all later ones and their members survive until the next full
 * garbage collection.
 */
export class LinkedList<Member extends Linked<Member>> {
  first: Member | null = null
  #last: Member | null = null

  add(member: Member): void {
    member.previous = this.#last
    if (this.#last) this.#last.next = member
    else this.first = member
    this.#last = member
  }

  /** Has no effect if the member was deleted before. */
  delete(member: Member): void {
    const { previous, next } = member
    if (!previous && this.first !== member) return
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.#last = previous
    member.previous = null
    member.next = null
  }

  /** The member that was returned last may be deleted meanwhile. */
  *[Symbol.iterator](): Generator<Member> {
    let member = this.first
    while (member) {
      const { next } = member
      yield member
      member = next
    }
  }
}
