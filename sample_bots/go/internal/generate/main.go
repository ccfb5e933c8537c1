// Generate makes the Go code of the protocol in internal/pb. It needs nothing but Go: protocompile
// reads the .proto files, the plugins that go.mod names write the code. `go generate` runs it in
// the bot's folder.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const module = "tichubot"

// In the order of their imports, as a plugin wants them.
var files = []string{
	"tichu/referee/v1/card.proto",
	"tichu/referee/v1/match.proto",
	"tichu/referee/v1/referee.proto",
}

func main() {
	log.SetFlags(0)
	if err := generate(); err != nil {
		log.Fatal("generate: ", err)
	}
}

func generate() error {
	folder, err := protoFolder()
	if err != nil {
		return err
	}
	descriptors, err := compile(folder)
	if err != nil {
		return err
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := run(plugin, descriptors); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

// protoFolder prefers a copy in the bot's folder to that of the repository.
func protoFolder() (string, error) {
	for _, folder := range []string{"proto", filepath.Join("..", "..", "proto")} {
		if _, err := os.Stat(filepath.Join(folder, files[0])); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("no %s in ./proto or ../../proto", files[0])
}

func compile(folder string) ([]*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{folder}},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments go into the code
	}
	compiled, err := compiler.Compile(context.Background(), files...)
	if err != nil {
		return nil, err
	}
	descriptors := make([]*descriptorpb.FileDescriptorProto, len(compiled))
	for i, file := range compiled {
		descriptors[i] = protoutil.ProtoFromFileDescriptor(file)
	}
	return descriptors, nil
}

// run asks one plugin for its files and writes them.
func run(plugin string, descriptors []*descriptorpb.FileDescriptorProto) error {
	parameter := "module=" + module
	for _, file := range files { // the .proto files name no Go package
		parameter += fmt.Sprintf(",M%s=%s/internal/pb", file, module)
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: files,
		Parameter:      &parameter,
		ProtoFile:      descriptors,
	})
	if err != nil {
		return err
	}
	command := exec.Command("go", "tool", plugin)
	command.Stdin = bytes.NewReader(request)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	return write(response.File)
}

func write(made []*pluginpb.CodeGeneratorResponse_File) error {
	for _, file := range made {
		path := filepath.FromSlash(file.GetName())
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
