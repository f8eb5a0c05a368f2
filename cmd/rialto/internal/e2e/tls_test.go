package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2atest"
)

// secretVolume is a folder as Kubernetes mounts a Secret: its files are links through ..data, which
// is replaced in one step.
type secretVolume struct{ dir string }

// put replaces the files.
func (v secretVolume) put(t *testing.T, version string, files map[string][]byte) {
	t.Helper()
	errs := []error{os.Mkdir(filepath.Join(v.dir, version), 0o700)}
	for name, b := range files {
		errs = append(errs, os.WriteFile(filepath.Join(v.dir, version, name), b, 0o600))
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(v.dir, name)); !errors.Is(err, os.ErrExist) {
			errs = append(errs, err)
		}
	}
	next := filepath.Join(v.dir, "..next")
	errs = append(errs, os.Symlink(version, next), os.Rename(next, filepath.Join(v.dir, "..data")))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// selfSigned returns a certificate for loopback, as cert.pem and key.pem, and adds it to those that are trusted.
func selfSigned(t *testing.T, serial int64, trusted *x509.CertPool) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	trusted.AppendCertsFromPEM(cert)
	return map[string][]byte{"cert.pem": cert, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})}
}

// serialAt returns the serial number of the certificate with which a listener answers.
func serialAt(t *testing.T, addr string, trusted *x509.CertPool) int64 {
	t.Helper()
	c, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: trusted, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.ConnectionState(); got.NegotiatedProtocol != "h2" || got.Version < tls.VersionTLS12 {
		t.Errorf("got protocol %q over TLS %x", got.NegotiatedProtocol, got.Version)
	}
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// TestCertificateIsReplacedUnderLoad replaces the certificate while users call over open connections
// and over new ones. No call fails, and new connections get the new certificate, over gRPC too.
// Then an agent is added to the file, which config_watch applies.
func TestCertificateIsReplacedUnderLoad(t *testing.T) {
	takesLong(t)
	t.Parallel()
	agent := a2atest.NewAgent()
	one := a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	trusted, dir, addr, calls := x509.NewCertPool(), t.TempDir(), freeAddress(t), freeAddress(t)
	volume := secretVolume{dir}
	file := fmt.Sprintf("listen: %s\ndatabase: %q\nconfig_watch: true\ntls: {cert_file: %q, key_file: %q}\ngrpc: {listen: %q}\nlog: {level: info}\nagents:\n- {name: one, url: %q}\n",
		addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), calls, one)
	first, second := selfSigned(t, 1, trusted), selfSigned(t, 2, trusted)
	volume.put(t, "v1", first)
	conf := t.TempDir()
	path := filepath.Join(conf, "rialto.yaml")
	secretVolume{conf}.put(t, "v1", map[string][]byte{"rialto.yaml": []byte(file)})
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", path)
	token := output(t, "", "token", "--user", "alice", "--scope", "mcp:tools a2a:discover a2a:publish", "--config", path)
	p := start(t, addr, "serve", "--config", path)

	ctx, stop := context.WithCancel(t.Context())
	var answered atomic.Int64
	var callers sync.WaitGroup
	for _, once := range []bool{false, false, true} {
		callers.Go(func() {
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true, DisableKeepAlives: once}
			defer transport.CloseIdleConnections()
			for ctx.Err() == nil {
				if err := sendOver(&http.Client{Transport: transport}, "https://"+addr, token); err != nil {
					t.Error(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	volume.put(t, "broken", map[string][]byte{"cert.pem": second["cert.pem"], "key.pem": first["key.pem"]})
	p.log.wait(t, "the certificate was not replaced")
	volume.put(t, "v2", second)
	p.log.wait(t, "the certificate was replaced")
	stop()
	callers.Wait()
	if http, grpc := serialAt(t, addr, trusted), serialAt(t, calls, trusted); http != 2 || grpc != 2 {
		t.Errorf("got certificates %d and %d, want 2", http, grpc)
	}
	t.Logf("%d calls", answered.Load())

	over := &a2agrpc.Transport{TLS: &tls.Config{RootCAs: trusted}}
	defer over.Close()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	d := &a2aclient.Dialer{HTTP: client, GRPC: over, Binding: a2a.GRPC, Header: http.Header{"Authorization": {"Bearer " + token}}}
	c, err := d.Dial(t.Context(), "https://"+addr+"/a2a/one")
	if err == nil {
		_, err = c.Send(t.Context(), a2atest.Say("echo hello"))
	}
	if err != nil {
		t.Errorf("over gRPC: %v", err)
	}

	secretVolume{conf}.put(t, "bad", map[string][]byte{"rialto.yaml": []byte("limits: {calls: none}\n")})
	p.log.wait(t, "the configuration was not reloaded; nothing has changed")
	secretVolume{conf}.put(t, "v2", map[string][]byte{"rialto.yaml": []byte(file + fmt.Sprintf("- {name: two, url: %q}\n", one))})
	p.log.wait(t, "agents[two].url")
	output(t, "", "config", "reload", "--config", path)
	health := exec.Command(binary, "health")
	health.Env = []string{"RIALTO_LISTEN=" + addr, "RIALTO_TLS__CERT_FILE=" + filepath.Join(dir, "cert.pem")}
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("rialto health: %v: %s", err, out)
	}
}

// sendOver calls send_task.
func sendOver(client *http.Client, origin, token string) error {
	req, err := http.NewRequest(http.MethodPost, origin+"/mcp/tools/call", strings.NewReader(`{"name":"send_task","arguments":{"agent":"one","message":"echo hello"}}`))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && (resp.ProtoMajor != 2 || !bytes.Contains(b, []byte(`"completed"`))) {
		err = fmt.Errorf("got %s %s %s", resp.Proto, resp.Status, b)
	}
	return err
}
