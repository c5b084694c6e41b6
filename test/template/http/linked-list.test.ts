import { expect } from 'chai'
import { type Linked, LinkedList } from '#app/http/linked-list.ts'

class Item implements Linked<Item> {
  previous: Item | null = null
  next: Item | null = null
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

describe('A linked list', () => {
  const createList = () => {
    const list = new LinkedList<Item>()
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Item(name)) as [Item, Item, Item]
    for (const item of [a, b, c]) list.add(item)
    return { list, a, b, c }
  }
  const namesOf = ({ first }: LinkedList<Item>) => {
    const names: string[] = []
    for (let item = first; item; item = item.next) names.push(item.name)
    return names.join('')
  }

  it('keeps the order in which members are added', () => {
    expect(namesOf(createList().list)).to.equal('abc')
    expect(namesOf(new LinkedList<Item>())).to.equal('')
  })

  for (const [name, rest] of [
    ['a', 'bc'],
    ['b', 'ac'],
    ['c', 'ab'],
  ] as const) {
    it(`deletes ${name} of abc once, and adds it behind the others`, () => {
      const { list, ...items } = createList()
      const deleted = items[name]
      list.delete(deleted)
      list.delete(deleted)
      expect(namesOf(list)).to.equal(rest)
      expect([deleted.previous, deleted.next]).to.deep.equal([null, null])
      list.add(deleted)
      expect(namesOf(list)).to.equal(rest + name)
    })
  }

  it('is empty when all members are deleted, and takes new ones', () => {
    const { list, a, b, c } = createList()
    for (const item of [b, a, c]) list.delete(item)
    expect(list.first).to.equal(null)
    list.add(b)
    expect(namesOf(list)).to.equal('b')
  })
})
