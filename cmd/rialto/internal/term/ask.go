package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrNoAnswer is returned when the input ends without an answer.
var ErrNoAnswer = errors.New("the input ended without an answer")

// Dialog asks questions. Use one for an input, because it reads ahead.
type Dialog struct {
	in   io.Reader
	read *bufio.Reader
	out  io.Writer
}

// NewDialog returns a dialog over the input and, for the questions, the error output of a command.
func NewDialog(in io.Reader, out io.Writer) *Dialog {
	return &Dialog{in, bufio.NewReader(io.LimitReader(in, 1<<20)), out}
}

// Terminal tells whether a person answers, and not a file.
func (d *Dialog) Terminal() bool { return Is(d.in) }

// Visible tells whether a person can read the questions.
func (d *Dialog) Visible() bool { return Is(d.in) || Is(d.out) }

// Say writes a line about a question.
func (d *Dialog) Say(line string) { fmt.Fprintln(d.out, line) }

// Ask returns a line without spaces around it, or ErrNoAnswer at the end of the input. It returns
// when ctx ends; a goroutine then still waits for the line, and the program is about to exit.
func (d *Dialog) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(d.out, question)
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := d.read.ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case a := <-got:
		if a.err != nil && a.line == "" {
			fmt.Fprintln(d.out)
			return "", ErrNoAnswer
		}
		return strings.TrimSpace(a.line), nil
	case <-ctx.Done():
		fmt.Fprintln(d.out)
		return "", ctx.Err()
	}
}

// Secret asks for a secret twice, without showing it.
func (d *Dialog) Secret(question string) (string, error) {
	f, ok := d.in.(*os.File)
	if !ok || !d.Terminal() {
		return "", ErrNoAnswer
	}

	hidden := func(question string) (string, error) {
		fmt.Fprint(d.out, question)
		b, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(d.out)
		return string(b), err
	}
	first, err := hidden(question + ": ")
	if err != nil {
		return "", err
	}

	switch again, err := hidden("Repeat it: "); {
	case err != nil:
		return "", err
	case again != first:
		return "", errors.New("the two entries differ")
	}

	return first, nil
}
