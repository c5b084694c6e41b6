import { expect } from 'chai'
import { sign } from '../send.ts'

describe('Signatures of webhooks', () => {
  it('are those of Standard Webhooks, by its example', () => {
    const text = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
    const signature = 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    expect(sign(text, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).to.equal(signature)
    expect(sign(`${text} `, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).not.to.equal(signature)
  })
})
