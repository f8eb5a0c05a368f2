package wire

import "rialto/a2a"

// v02 is A2A 0.2: what 0.3 is over JSON-RPC, without a call for the extended card.
var v02 = Dialect{
	Generation: a2a.V02,
	methods:    v03.methods[:len(v03.methods)-1],
	errors:     numbers,
	Codec:      codecV02,
	rareCodec:  rareCodec{codecV02},
}

var codecV02 = jsonCodec{generation: a2a.V02, encoder: encodeV02{}}

type encodeV02 struct{ encodeV03 }

// send always lists output modes, which were optional only from 0.2.6 on. None means any.
func (e encodeV02) send(r *a2a.SendRequest, _ Envelope) any {
	out := e.sendV03(r)
	out.Configuration.AcceptedOutputModes = filled(out.Configuration.AcceptedOutputModes)
	return out
}
