package wire

import "rialto/a2a"

// v02 is A2A 0.2: what 0.3 is over JSON-RPC, without an extended card to call
// for, and with members that must be there.
var v02 = Dialect{
	Generation: a2a.V02,
	methods:    v03.methods[:len(v03.methods)-1],
	errors:     numbers,
	Codec:      jsonCodec{generation: a2a.V02, speller: spell02{}, decodeSend: decodeSend},
}

type spell02 struct{ spell03 }

type send02 struct {
	Message       message03    `json:"message"`
	Configuration config02     `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

// config02 always lists output modes, which were optional only from 0.2.6 on;
// none means any.
type config02 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	Blocking            bool     `json:"blocking"`
	Push                *push03  `json:"pushNotificationConfig,omitempty"`
}

func (s spell02) send(r *a2a.SendRequest, _ Envelope) any {
	return send02{
		Message:       s.message(*r.Message),
		Configuration: config02{filled(r.AcceptedOutputModes), r.HistoryLength, !r.ReturnImmediately, inlinePush03(r)},
		Metadata:      r.Metadata,
	}
}
