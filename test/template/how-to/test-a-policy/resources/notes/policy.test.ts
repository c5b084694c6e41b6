import { expect } from 'chai'
import { NotePolicy } from './policy.ts'

describe('NotePolicy', () => {
  const policy = new NotePolicy()
  const ada = { identifier: 'ada', roles: [] }

  it('allows the owner to update a note', () => {
    expect(policy.update(ada, { owner: 'ada' })).to.equal(true)
  })

  it('denies another principal and an anonymous requester the update', () => {
    expect(policy.update(ada, { owner: 'bob' })).to.equal(false)
    expect(policy.update(null, { owner: 'ada' })).to.equal(false)
  })
})
